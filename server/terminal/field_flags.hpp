#pragma once

#include "engine/base/result.hpp"

#include <span>
#include <string_view>

namespace plimsoll::terminal {

// The flag that a place of the request comes from; the first one that fits counts.
struct FieldFlag {
    std::string_view place;  // "/args/columns/keep"; with "/" at the end, all below it
    std::string_view flag;   // "--keep"
};

// A refusal of the server names places of the request, one a line: here in the flags that a person
// gave.
Error in_flags(Error error, std::span<const FieldFlag> flags);

}  // namespace plimsoll::terminal
