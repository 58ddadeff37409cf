#pragma once

#include <string>
#include <vector>

namespace plimsoll::cli {

// A `plimsoll serve` that runs on this machine.
struct ServingProcess {
    int id = 0;
    std::string data_directory;  // as given in its flags; empty: not given
};

std::vector<ServingProcess> serving_processes();

}  // namespace plimsoll::cli
