#pragma once

#include <filesystem>
#include <string>

namespace plimsoll {

// The path of a program in the folder of this one.
inline std::string sibling_program(const std::string& name) {
    return std::filesystem::read_symlink("/proc/self/exe").parent_path() / name;
}

}  // namespace plimsoll
