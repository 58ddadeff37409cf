#pragma once

#include "engine/tuning/gemm_plans.hpp"

#include <filesystem>

namespace plimsoll::cli {

// Adds the plans that an earlier `tune` saved in `file`. A file that is damaged, or from another
// version or device, is skipped with a message on standard error.
void read_plans(tuning::Plans& plans, const std::filesystem::path& file);

}  // namespace plimsoll::cli
