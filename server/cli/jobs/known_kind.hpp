#pragma once

#include "engine/base/result.hpp"

#include <string>

namespace plimsoll::cli {

// Errc::invalid_input: there is no such kind of job; suggests one and lists all.
Result<void> check_kind(const std::string& kind);

}  // namespace plimsoll::cli
