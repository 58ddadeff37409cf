#include "engine/opencl/devices/host_memory.hpp"

#include <algorithm>
#include <charconv>
#include <fstream>
#include <sstream>
#include <string_view>

namespace plimsoll::opencl {

namespace {

using Bytes = std::optional<std::uint64_t>;

// Version 1 says "no limit" with the largest multiple of the page size below 2^63.
constexpr std::uint64_t kNoLimit = std::uint64_t{1} << 62;

Bytes smaller(Bytes a, Bytes b) {
    if (!a || !b) return a ? a : b;
    return std::min(*a, *b);
}

// One number in a file; "max", a missing file and version 1's "no limit" are no value.
Bytes limit_in(const std::filesystem::path& file) {
    std::ifstream in(file);
    std::string word;
    if (!(in >> word)) return {};
    std::uint64_t bytes = 0;
    const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), bytes);
    if (error != std::errc{} || end != word.data() + word.size() || bytes >= kNoLimit) return {};
    return bytes;
}

// The smallest limit from the group up to the root of the hierarchy. Inside a container the group's
// own path may not exist below the mount; the root then holds the container's limit.
Bytes tightest_limit(const std::filesystem::path& mount, std::string_view group,
                     std::string_view file) {
    Bytes tightest;
    std::filesystem::path path(group);
    for (;;) {
        tightest = smaller(tightest, limit_in(mount / path.relative_path() / file));
        if (path == path.parent_path()) return tightest;
        path = path.parent_path();
    }
}

// Lines of /proc/self/cgroup are "0::/group" (version 2) and "4:cpu,memory:/group" (version 1).
void read_group_limits(const std::filesystem::path& root, Bytes& v1, Bytes& v2) {
    std::ifstream in(root / "proc/self/cgroup");
    for (std::string line; std::getline(in, line);) {
        const auto first = line.find(':');
        const auto second = line.find(':', first + 1);
        if (first == std::string::npos || second == std::string::npos) continue;
        const auto controllers = "," + line.substr(first + 1, second - first - 1) + ",";
        const auto group = std::string_view(line).substr(second + 1);
        if (controllers == ",,")
            v2 = tightest_limit(root / "sys/fs/cgroup", group, "memory.max");
        else if (controllers.find(",memory,") != std::string::npos)
            v1 = tightest_limit(root / "sys/fs/cgroup/memory", group, "memory.limit_in_bytes");
    }
}

Bytes mem_available(const std::filesystem::path& root) {
    std::ifstream in(root / "proc/meminfo");
    for (std::string line; std::getline(in, line);) {
        std::istringstream words(line);
        std::string key;
        std::uint64_t kibibytes = 0;
        if (words >> key >> kibibytes && key == "MemAvailable:") return kibibytes * 1024;
    }
    return {};
}

}  // namespace

MemorySize available_host_memory(const std::filesystem::path& root) {
    Bytes v1;
    Bytes v2;
    read_group_limits(root, v1, v2);
    const Bytes available = mem_available(root);
    const Bytes smallest = smaller(smaller(v1, v2), available);
    if (!smallest) return {};
    if (smallest == available) return {smallest, "mem-available"};
    return {smallest, smallest == v2 ? "cgroup-v2" : "cgroup-v1"};
}

}  // namespace plimsoll::opencl
