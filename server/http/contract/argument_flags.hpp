#pragma once

#include <span>
#include <string_view>

namespace plimsoll::http {

// An argument of a kind that has a flag on the command line (x-flag in openapi.yaml).
struct ArgumentFlag {
    std::string_view args;     // name of the schema of the kind's arguments
    std::string_view pointer;  // "/training/fused_loss"
    std::string_view name;     // "--fused-loss"
    std::string_view help;
    std::string_view type;  // of a value, or of an item: boolean, integer, number, string, object
    bool is_list = false;
    std::string_view words;     // the only values, separated by commas; empty: any
    std::string_view commands;  // the commands that take it (x-commands), likewise; empty: all
    // What other tools call it (x-known-as), likewise: "--zero=zero*" takes a value and gives it in
    // place of the star, "--fsdp=fsdp" takes none, "--seq-len" takes what the flag takes.
    std::string_view known_as;
};

// Generated from openapi.yaml, in its order.
std::span<const ArgumentFlag> argument_flags();

}  // namespace plimsoll::http
