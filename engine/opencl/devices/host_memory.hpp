#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>

namespace plimsoll::opencl {

// An amount of memory and its source. No value: no reliable source.
struct MemorySize {
    std::optional<std::uint64_t> bytes;
    std::string source = "unknown";  // "cgroup-v2", "cgroup-v1", "mem-available" or "unknown"

    bool operator==(const MemorySize&) const = default;
};

// Host memory that this process may use: the minimum of its cgroup limits (its own and its
// ancestors', versions 1 and 2) and the kernel's MemAvailable. `root` stands for "/".
MemorySize available_host_memory(const std::filesystem::path& root = "/");

}  // namespace plimsoll::opencl
