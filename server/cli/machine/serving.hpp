#pragma once

#include <string>
#include <vector>

namespace plimsoll::cli {

// A `plimsoll serve` that runs on this machine.
struct ServingProcess {
    int id = 0;
    std::string data_directory;  // as its flags name it; empty: they do not
};

std::vector<ServingProcess> serving_processes();

}  // namespace plimsoll::cli
