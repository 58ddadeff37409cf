#include "server/base/log.hpp"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace plimsoll::log {
namespace {

class LogTest : public testing::Test {
  protected:
    ~LogTest() override { set_format(Format::text); }

    std::string written(Format format) {
        set_format(format);
        testing::internal::CaptureStderr();
        start("test", Level::info);
        debug("too quiet");
        warn("two words", {{"id", "job_1"}, {"text", "a \"b\"\nc\xff"}});
        return testing::internal::GetCapturedStderr();
    }
};

TEST_F(LogTest, ATextLineKeepsEachValueInOnePiece) {
    const auto line = written(Format::text);
    EXPECT_NE(line.find("[test] two words id=job_1 text=\"a \\\"b\\\" c"), std::string::npos)
        << line;
    EXPECT_EQ(line.find("too quiet"), std::string::npos);
}

TEST_F(LogTest, ATextLineCannotControlATerminal) {
    testing::internal::CaptureStderr();
    start("test", Level::info);
    warn("told", {{"a", "\x1b[2J"}, {"b", "x\x7f"}, {"c", "\u009b31m\u00e9"}, {"d", "\u00a0"}});
    const auto line = testing::internal::GetCapturedStderr();
    EXPECT_NE(line.find("told a=\" [2J\" b=\"x \" c=\" 31m\u00e9\" d=\u00a0\n"), std::string::npos)
        << line;
}

TEST_F(LogTest, AJsonLineIsOneObjectWhateverItQuotes) {
    const auto line = written(Format::json);
    EXPECT_EQ(line.find('\n'), line.size() - 1) << line;
    const auto entry = nlohmann::json::parse(line);
    EXPECT_EQ(entry.at("level"), "warn");
    EXPECT_EQ(entry.at("process"), "test");
    EXPECT_EQ(entry.at("message"), "two words");
    EXPECT_EQ(entry.at("id"), "job_1");
    EXPECT_EQ(entry.at("text").get<std::string>().substr(0, 7), "a \"b\"\nc");
    EXPECT_EQ(entry.at("time").get<std::string>().size(), 24U);
}

TEST_F(LogTest, KnowsItsFormats) {
    EXPECT_EQ(parse_format("json"), Format::json);
    EXPECT_EQ(parse_format("text"), Format::text);
    EXPECT_FALSE(parse_format("xml"));
}

}  // namespace
}  // namespace plimsoll::log
