#include "server/base/gzip.hpp"

#include "server/base/gathering_sink.hpp"

#include <array>
#include <csignal>
#include <future>
#include <memory>
#include <random>
#include <string>

#include <gtest/gtest.h>
#include <spdlog/logger.h>
#include <sys/socket.h>
#include <unistd.h>

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
    for (const std::size_t size : {0, 1, 128, 129, 255, 256, 70'000})
        EXPECT_EQ(gzip_content_bytes(gzip(std::string(size, 'x'))), size);
    EXPECT_EQ(gzip_content_bytes("abc"), 0u);
}

TEST(Gzip, TheLimitIsExact) {
    const std::string packed = gzip(std::string(1000, 'x'));
    EXPECT_EQ(gunzip(packed, 1000).value().size(), 1000u);
    EXPECT_EQ(gunzip(packed, 999).error().code, Errc::too_large);
}

TEST(Gzip, DamagedAndTruncatedDataAreRefused) {
    const std::string packed = gzip("some text that is long enough to be cut");
    for (std::size_t size = 0; size < packed.size(); ++size)
        EXPECT_EQ(gunzip(packed.substr(0, size), kPlenty).error().code, Errc::corrupt) << size;
    std::string flipped = packed;
    flipped[flipped.size() - 6] ^= 1;  // in the checksum
    EXPECT_EQ(gunzip(flipped, kPlenty).error().code, Errc::corrupt);
    EXPECT_EQ(gunzip(packed + "rest", kPlenty).error().code, Errc::corrupt);
}

}  // namespace

}  // namespace plimsoll

namespace plimsoll::log {
namespace {

std::shared_ptr<GatheringSink> sink_to(int descriptor) {
    return std::make_shared<GatheringSink>(descriptor, Lines::gathered, [](std::size_t count) {
        return std::to_string(count) + " lines were dropped";
    });
}

class GatheringSinkTest : public testing::Test {
  protected:
    GatheringSinkTest() {
        EXPECT_EQ(pipe(pipe_.data()), 0);
        logger_ = std::make_unique<spdlog::logger>("test", sink_to(pipe_[1]));
        logger_->set_pattern("%v");
    }
    ~GatheringSinkTest() override {
        logger_.reset();
        for (const int end : pipe_) close(end);
    }

    // Waits for as many lines.
    std::string read_lines(int count) const {
        std::string text;
        for (char c = 0; count > 0 && read(pipe_[0], &c, 1) == 1; count -= c == '\n') text += c;
        return text;
    }

    std::array<int, 2> pipe_{};
    std::unique_ptr<spdlog::logger> logger_;
};

TEST_F(GatheringSinkTest, WritesAnIsolatedLineAtOnce) {
    logger_->info("first");
    logger_->info("second");
    logger_->info("third");
    EXPECT_EQ(read_lines(3), "first\nsecond\nthird\n");
    logger_->info("fourth");
    EXPECT_EQ(read_lines(1), "fourth\n");
}

TEST_F(GatheringSinkTest, AWarningFlushesWaitingLines) {
    logger_->info("first");
    logger_->info("second");
    logger_->warn("third");
    // No other thread has to run for it.
    std::array<char, 64> text{};
    ASSERT_GT(read(pipe_[0], text.data(), 6), 0);
    const auto rest = read(pipe_[0], text.data(), text.size());
    EXPECT_EQ(std::string(text.data(), static_cast<std::size_t>(rest)), "second\nthird\n");
}

TEST_F(GatheringSinkTest, LosesNoLineOfMany) {
    // Below what a pipe holds, so that nobody has to read meanwhile.
    constexpr int kLines = 3000;
    std::string expected;
    for (int i = 0; i < kLines; ++i) {
        logger_->info("line {}", i);
        expected += "line " + std::to_string(i) + '\n';
    }
    EXPECT_EQ(read_lines(kLines), expected);
}

// A pipe holds 64 KiB.
TEST_F(GatheringSinkTest, NeverWaitsForAReaderAndSaysWhatItDropped) {
    logger_->info("first");
    logger_->info("second");
    read_lines(2);  // by the other thread, which now waits for lines
    const std::string text(1000, 'x');
    constexpr int kLines = 1000;
    for (int i = 0; i < kLines; ++i) logger_->warn(text);
    int kept = 0;
    std::string line;
    while (line.find("dropped") == std::string::npos) {
        line = read_lines(1);
        kept += line.starts_with("xxx") ? 1 : 0;
    }
    EXPECT_LT(kept, kLines);
    EXPECT_EQ(line, std::to_string(kLines - kept) + " lines were dropped\n");
    logger_->info("after");
    EXPECT_EQ(read_lines(1), "after\n");
}

TEST(GatheringSink, SurvivesAClosedPipe) {
    std::array<int, 2> ends{};
    ASSERT_EQ(pipe(ends.data()), 0);
    std::signal(SIGPIPE, SIG_IGN);
    spdlog::logger logger("test", sink_to(ends[1]));
    close(ends[0]);
    for (int i = 0; i < 1000; ++i) logger.warn("nobody reads");
    close(ends[1]);
}

TEST(GatheringSink, BatchesManyLines) {
    std::array<int, 2> ends{};  // each write is a packet of its own
    ASSERT_EQ(socketpair(AF_UNIX, SOCK_SEQPACKET, 0, ends.data()), 0);
    auto packets = std::async(std::launch::async, [end = ends[0]] {
        std::string room(64 * 1024, '\0');
        int count = 0;
        while (read(end, room.data(), room.size()) > 0) ++count;
        return count;
    });
    constexpr int kLines = 3000;
    {
        spdlog::logger logger("test", sink_to(ends[1]));
        for (int i = 0; i < kLines; ++i) logger.info("line {}", i);
    }
    close(ends[1]);
    EXPECT_LT(packets.get(), kLines / 2);
    close(ends[0]);
}

TEST_F(GatheringSinkTest, LosesNoLineAtItsEnd) {
    logger_->info("first");
    logger_->info("second");
    logger_.reset();
    std::array<char, 64> text{};
    const auto size = read(pipe_[0], text.data(), text.size());
    EXPECT_EQ(std::string(text.data(), static_cast<std::size_t>(size)), "first\nsecond\n");
}

}  // namespace

}  // namespace plimsoll::log
