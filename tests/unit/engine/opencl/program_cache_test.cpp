#include "engine/opencl/runtime/programs.hpp"
#include "tests/unit/engine/opencl/kernel_cache.hpp"

#include <algorithm>
#include <cstddef>
#include <fstream>
#include <set>
#include <string>
#include <thread>
#include <vector>

namespace plimsoll::opencl {
namespace {

namespace fs = std::filesystem;

ProgramBinary binary_of(std::size_t bytes, unsigned seed) {
    ProgramBinary binary{std::vector<std::byte>(bytes)};
    for (auto& byte : binary.bytes) byte = static_cast<std::byte>(seed = seed * 1664525 + 1);
    return binary;
}

TEST(ProgramCache, KeysAreSha256OfLengthsAndParts) {
    const auto key = ProgramCache::key_of({"ab", "c"});
    EXPECT_EQ(key.size(), 64U);
    const std::set<std::string> keys{
        key, ProgramCache::key_of({"a", "bc"}), ProgramCache::key_of({"abc"}),
        ProgramCache::key_of({"ab", "c", ""}), ProgramCache::key_of({"c", "ab"})};
    EXPECT_EQ(keys.size(), 5U);
    // printf '\x03\0\0\0\0\0\0\0abc' | sha256sum
    EXPECT_EQ(ProgramCache::key_of({"abc"}),
              "ce91dc5eec0139adf091900d225971d6ad246a845bad791b5693a9d0d55dd391");
}

TEST(ProgramCache, ReturnsExactlyWhatWasStored) {
    const TemporaryFolder folder;
    const ProgramCache cache(folder.path() / "made when needed");
    EXPECT_FALSE(cache.load("a"));
    const auto stored = binary_of(10'007, 1);
    ASSERT_TRUE(cache.store("a", stored));
    const auto loaded = cache.load("a");
    ASSERT_TRUE(loaded);
    EXPECT_EQ(loaded->bytes, stored.bytes);
    EXPECT_FALSE(cache.load("b"));
}

TEST(ProgramCache, EveryDamageIsDetectedAndRemoved) {
    const TemporaryFolder folder;
    const ProgramCache cache(folder.path());
    const auto stored = binary_of(301, 2);
    ASSERT_TRUE(cache.store("a", stored));
    std::ifstream in(cache.file_of("a"), std::ios::binary);
    const std::string whole{std::istreambuf_iterator<char>(in), {}};
    std::vector<std::string> damaged{"", "x", whole + "y"};
    for (std::size_t cut = 1; cut < whole.size(); cut += 37) damaged.push_back(whole.substr(cut));
    for (std::size_t cut = 0; cut < whole.size(); cut += 37) {
        damaged.push_back(whole.substr(0, cut));
        damaged.push_back(whole);
        damaged.back()[cut] ^= 4;
    }
    for (const auto& text : damaged) {
        std::ofstream(cache.file_of("a"), std::ios::binary) << text;
        EXPECT_FALSE(cache.load("a"));
        EXPECT_FALSE(fs::exists(cache.file_of("a")));
    }
}

TEST(ProgramCache, ConcurrentWritersAndReadersNeverSeeHalfAFile) {
    const TemporaryFolder folder;
    const ProgramCache cache(folder.path());
    const std::vector<ProgramBinary> versions{binary_of(200'000, 3), binary_of(100'000, 4),
                                              binary_of(150'000, 5)};
    ASSERT_TRUE(cache.store("a", versions[0]));
    std::vector<std::jthread> threads;
    for (const auto& version : versions) {
        threads.emplace_back([&] {
            for (int i = 0; i < 50; ++i) EXPECT_TRUE(cache.store("a", version));
        });
        threads.emplace_back([&] {
            for (int i = 0; i < 50; ++i) {
                const auto loaded = cache.load("a");
                ASSERT_TRUE(loaded);
                EXPECT_TRUE(std::ranges::any_of(
                    versions, [&](const auto& v) { return v.bytes == loaded->bytes; }));
            }
        });
    }
    threads.clear();
    EXPECT_EQ(std::distance(fs::directory_iterator(folder.path()), {}), 1);  // no leftovers
}

TEST(ProgramCache, AnImpossibleFolderIsAnError) {
    const TemporaryFolder folder;
    std::ofstream(folder.path() / "file") << "in the way";
    const ProgramCache cache(folder.path() / "file");
    const auto stored = cache.store("a", binary_of(10, 6));
    ASSERT_FALSE(stored);
    EXPECT_EQ(stored.error().code, Errc::unavailable);
    EXPECT_FALSE(cache.load("a"));
}

}  // namespace
}  // namespace plimsoll::opencl
