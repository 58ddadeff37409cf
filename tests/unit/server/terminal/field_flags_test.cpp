#include "server/terminal/field_flags.hpp"

#include <vector>

#include <gtest/gtest.h>

namespace plimsoll::terminal {
namespace {

std::string in_inputs_of(const std::string& message, const std::vector<std::string>& inputs) {
    return in_inputs({Errc::invalid_input, message, {}}, inputs).message;
}

TEST(InFlags, NamesTheFirstFlagThatFits) {
    constexpr FieldFlag kFlags[] = {{"/args/columns/keep", "--keep"}, {"/args/", "--set "}};
    const auto named = [&](const char* message) {
        return in_flags({Errc::invalid_input, message, {}}, kFlags).message;
    };
    EXPECT_EQ(named("/args/columns/keep: is wrong"), "--keep: is wrong");
    EXPECT_EQ(named("Invalid in 2 places:\n  /args/a/b: is wrong\n  /name: is wrong"),
              "Invalid in 2 places:\n  --set a.b: is wrong\n  /name: is wrong");
    EXPECT_EQ(named("It is wrong"), "It is wrong");
}

TEST(InInputs, NamesTheInputWithTheWordsOfThePlace) {
    const std::vector<std::string> inputs = {
        "--queued-jobs", "--quota-seconds", "--quota-period", "--scope",
        "--job",         "--expires",       "--by",           "class"};
    EXPECT_EQ(in_inputs_of("/queued_jobs: is wrong", inputs), "--queued-jobs: is wrong");
    EXPECT_EQ(in_inputs_of("/quota/seconds: is wrong", inputs), "--quota-seconds: is wrong");
    EXPECT_EQ(in_inputs_of("/scopes/0: is wrong", inputs), "--scope: is wrong");
    EXPECT_EQ(in_inputs_of("/expires_at: is wrong", inputs), "--expires: is wrong");
    EXPECT_EQ(in_inputs_of("device_class: is wrong", inputs), "class: is wrong");
    EXPECT_EQ(in_inputs_of("group_by: is wrong", inputs), "--by: is wrong");
    EXPECT_EQ(in_inputs_of("/job/args/model: is wrong", inputs), "--job (args.model): is wrong");
}

TEST(InInputs, LeavesWhatIsNoPlaceOrNoInput) {
    const std::vector<std::string> inputs = {"--name"};
    EXPECT_EQ(in_inputs_of("/bytes/1/end: is wrong", inputs), "bytes (1.end): is wrong");
    EXPECT_EQ(in_inputs_of("--set name: is wrong", inputs), "--set name: is wrong");
    EXPECT_EQ(in_inputs_of("Its name: wrong", inputs), "Its name: wrong");
    EXPECT_EQ(in_inputs_of(": wrong", inputs), ": wrong");
}

}  // namespace
}  // namespace plimsoll::terminal
