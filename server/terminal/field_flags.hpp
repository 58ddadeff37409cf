#pragma once

#include "server/terminal/command_context.hpp"

#include <span>
#include <string>
#include <string_view>
#include <utility>

namespace plimsoll::terminal {

// The flag that a place of the request comes from; the first one that fits counts.
struct FieldFlag {
    std::string_view place;  // "/args/columns/keep"; with "/" at the end, all below it
    std::string_view flag;   // "--keep"
};

// A refusal of the server names places of the request, at the beginning of its message and of each
// further line: this names the flags that the user gave instead.
Error in_flags(Error error, std::span<const FieldFlag> flags);

template <class T>
T need(Result<T> result, std::span<const FieldFlag> flags) {
    if (!result) throw Refused(in_flags(std::move(result.error()), flags));
    return std::move(*result);
}

// The same by the names of a command's flags and arguments alone ("--queued-jobs", "team"), where
// the place has their words: "/queued_jobs", "team_id".
Error in_inputs(Error error, std::span<const std::string> inputs);

}  // namespace plimsoll::terminal
