#pragma once

#include <span>
#include <string_view>

// The database's sources, embedded in the program: see migrations/README.md.
namespace plimsoll::migrations {

struct Version {
    int number;               // from 1, without gaps
    std::string_view name;    // without number and suffix
    std::string_view sha256;  // of the text, in hexadecimal
    std::string_view sql;
};

// A function with its triggers, or the rights. Applied again whenever its hash changes.
struct Function {
    std::string_view name;
    std::string_view sha256;  // of the text, in hexadecimal
    std::string_view sql;
};

struct Schema {
    std::span<const Version> versions;
    std::span<const Function> functions;  // each after those that it needs
    Function rights;
    int set;  // number of the function set; only an equal or higher one writes functions
};

}  // namespace plimsoll::migrations
