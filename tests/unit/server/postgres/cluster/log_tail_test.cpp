#include "server/postgres/cluster/log_tail.hpp"

#include <filesystem>
#include <fstream>

#include <gtest/gtest.h>

namespace plimsoll::postgres {
namespace {

namespace fs = std::filesystem;

class LogTail : public ::testing::Test {
  protected:
    LogTail() {
        std::string name = (fs::temp_directory_path() / "plimsoll-log-XXXXXX").string();
        if (mkdtemp(name.data()) == nullptr) throw std::runtime_error("no temporary folder");
        folder_ = name;
    }
    ~LogTail() override { fs::remove_all(folder_); }

    fs::path write(const std::string& text) {
        std::ofstream(folder_ / "start.log") << text;
        return folder_ / "start.log";
    }

    fs::path folder_;
};

TEST_F(LogTail, IsTheWholeOfAShortLog) {
    EXPECT_EQ(log_tail(write("one\ntwo\n")), "one\ntwo");
    EXPECT_EQ(log_tail(write("")), "");
}

TEST_F(LogTail, BeginsWithALineOfALongOne) {
    std::string text;
    for (int i = 0; i < 1000; ++i) text += "line " + std::to_string(i) + "\n";
    const auto tail = log_tail(write(text));
    EXPECT_TRUE(tail.starts_with("line ")) << tail;
    EXPECT_TRUE(tail.ends_with("\nline 999")) << tail;
    EXPECT_LE(tail.size(), 1024u);
    EXPECT_EQ(log_tail(write(std::string(5000, 'x'))), "");
}

TEST_F(LogTail, FollowsNoLink) {
    fs::create_symlink(write("secret"), folder_ / "link.log");
    EXPECT_EQ(log_tail(folder_ / "link.log"), "");
    EXPECT_EQ(log_tail(folder_ / "missing.log"), "");
    EXPECT_EQ(log_tail(folder_), "");
}

}  // namespace
}  // namespace plimsoll::postgres
