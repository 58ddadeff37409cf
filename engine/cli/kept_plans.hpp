#pragma once

#include "engine/tuning/gemm_plans.hpp"

#include <filesystem>

namespace plimsoll::commands {

// Adds the plans that an earlier `tune` kept in `file`. One that is damaged, or of another version
// or device, is left out, and the standard error output says so.
void read_plans(tuning::Plans& plans, const std::filesystem::path& file);

}  // namespace plimsoll::commands
