#include "server/base/return_memory.hpp"

#include <fstream>
#include <memory>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <unistd.h>

namespace plimsoll {
namespace {

#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
#if !__has_feature(address_sanitizer) && !__has_feature(thread_sanitizer)

std::size_t resident_bytes() {
    std::size_t total = 0;
    std::size_t resident = 0;
    std::ifstream("/proc/self/statm") >> total >> resident;
    return resident * static_cast<std::size_t>(getpagesize());
}

TEST(ReturnMemory, FreedBlocksAreReturned) {
    constexpr std::size_t kMiB = 1024 * 1024;
    // Small enough to come out of the heap, which ends with a block that stays.
    std::vector<std::string> blocks(1024, std::string(64 * 1024, 'a'));
    const auto last = std::make_unique<int>(0);
    const auto held = resident_bytes();
    std::vector<std::string>().swap(blocks);
    return_freed_memory();
    EXPECT_GT(held, resident_bytes() + 48 * kMiB);
}

#endif
#endif

}  // namespace
}  // namespace plimsoll
