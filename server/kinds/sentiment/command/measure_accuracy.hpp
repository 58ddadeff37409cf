#pragma once

#include "engine/base/result.hpp"

#include <filesystem>
#include <string>
#include <vector>

namespace plimsoll::jobs::sentiment {

struct LabelledFile {
    std::string file;                // empty: nothing is measured
    std::vector<std::string> names;  // of labels: own=positive
};

// Runs `plimsoll-engine prove` on a model of the folder and on labelled texts: this program links
// no OpenCL. Its output goes to standard error if `quiet`. Errc::unavailable: it failed and printed
// the reason.
Result<void> measure_accuracy(const std::filesystem::path& models, const std::string& model,
                              const LabelledFile& labels, bool quiet);

}  // namespace plimsoll::jobs::sentiment
