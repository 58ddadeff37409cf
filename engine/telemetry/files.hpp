#pragma once

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <optional>
#include <string>
#include <system_error>
#include <vector>

// Reads the small files in which the kernel reports on devices.
namespace plimsoll::telemetry {

inline std::optional<double> number_in(const std::filesystem::path& file) {
    std::ifstream in(file);
    double value = 0;
    if (!(in >> value)) return std::nullopt;
    return value;
}

inline std::optional<double> scaled(std::optional<double> value, double by) {
    return value ? std::optional(*value * by) : std::nullopt;
}

inline std::optional<std::uint64_t> bytes_in(const std::filesystem::path& file) {
    std::ifstream in(file);
    std::uint64_t bytes = 0;
    if (!(in >> bytes)) return std::nullopt;
    return bytes;
}

inline std::string word_in(const std::filesystem::path& file) {
    std::ifstream in(file);
    std::string word;
    in >> word;
    return word;
}

// The sub-folders of a folder, sorted by name; empty when it does not exist.
inline std::vector<std::filesystem::path> folders_in(const std::filesystem::path& folder) {
    std::vector<std::filesystem::path> found;
    std::error_code none;
    for (const auto& entry : std::filesystem::directory_iterator(folder, none))
        found.push_back(entry.path());
    std::ranges::sort(found);
    return found;
}

}  // namespace plimsoll::telemetry
