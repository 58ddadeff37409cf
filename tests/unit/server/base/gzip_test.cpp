#include "server/base/gzip.hpp"

#include <random>
#include <string>

#include <gtest/gtest.h>

namespace plimsoll {
namespace {

constexpr std::size_t kPlenty = 1 << 26;

TEST(Gzip, RoundTripOfEmptySmallCompressibleAndRandomData) {
    std::mt19937 random(5);
    std::string noise(300'000, '\0');
    for (char& byte : noise) byte = static_cast<char>(random());
    for (const std::string& data : {std::string(), std::string("a"), noise.substr(0, 128),
                                    noise.substr(0, 129), std::string(5'000'000, 'x'), noise}) {
        EXPECT_EQ(gunzip(gzip(data), kPlenty).value(), data);
    }
}

TEST(Gzip, ConcatenatedMembersGiveConcatenatedContents) {
    EXPECT_EQ(gunzip(gzip("one ") + gzip("") + gzip("two"), kPlenty).value(), "one two");
}

TEST(Gzip, ContentInPiecesBecomesOneMember) {
    std::mt19937 random(6);
    std::string all;
    std::string packed;
    GzipStream stream;
    for (const std::size_t size : {0, 1, 100, 200'000, 3}) {
        std::string piece(size, '\0');
        for (char& byte : piece) byte = static_cast<char>(random());
        stream.add(piece, packed);
        all += piece;
    }
    stream.finish(packed);
    EXPECT_EQ(gunzip(packed, kPlenty).value(), all);
    EXPECT_EQ(gzip_content_bytes(packed), all.size());
}

TEST(Gzip, AMemberEndsWithTheSizeOfItsContent) {
    for (const std::size_t size : {0, 1, 128, 129, 255, 256, 70'000}) {
        EXPECT_EQ(gzip_content_bytes(gzip(std::string(size, 'x'))), size);
    }
    EXPECT_EQ(gzip_content_bytes("abc"), 0u);
}

TEST(Gzip, TheLimitIsExact) {
    const std::string packed = gzip(std::string(1000, 'x'));
    EXPECT_EQ(gunzip(packed, 1000).value().size(), 1000u);
    EXPECT_EQ(gunzip(packed, 999).error().code, Errc::too_large);
}

TEST(Gzip, DamagedAndTruncatedDataAreRefused) {
    const std::string packed = gzip("some text that is long enough to be cut");
    for (std::size_t size = 0; size < packed.size(); ++size) {
        EXPECT_EQ(gunzip(packed.substr(0, size), kPlenty).error().code, Errc::corrupt) << size;
    }
    std::string flipped = packed;
    flipped[flipped.size() - 6] ^= 1;  // in the checksum
    EXPECT_EQ(gunzip(flipped, kPlenty).error().code, Errc::corrupt);
    EXPECT_EQ(gunzip(packed + "rest", kPlenty).error().code, Errc::corrupt);
}

}  // namespace
}  // namespace plimsoll
