#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>

namespace plimsoll::opencl {

// How much memory something has, and how we know. No value means that nobody trustworthy says.
struct MemorySize {
    std::optional<std::uint64_t> bytes;
    std::string source = "unknown";  // "cgroup-v2", "cgroup-v1", "mem-available" or "unknown"

    bool operator==(const MemorySize&) const = default;
};

// What this process may use of the machine's memory: the smallest of its cgroup's limits (its own
// and its ancestors', version 1 and 2) and the kernel's MemAvailable. `root` stands for "/".
MemorySize available_host_memory(const std::filesystem::path& root = "/");

}  // namespace plimsoll::opencl
