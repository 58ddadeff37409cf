#pragma once

#include "engine/base/result.hpp"

#include <string>
#include <utility>

namespace plimsoll::postgres {

// The private PostgreSQL cannot be used, and why.
inline Error problem(std::string message) {
    return {Errc::unavailable, std::move(message), {}};
}

}  // namespace plimsoll::postgres
