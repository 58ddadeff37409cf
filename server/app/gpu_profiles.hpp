#pragma once

#include <string>

namespace plimsoll::app {

// The GpuProfileList of the contract, as JSON text.
std::string gpu_profiles_json();

}  // namespace plimsoll::app
