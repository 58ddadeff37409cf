#include "server/terminal/command_context.hpp"

#include <gtest/gtest.h>

namespace plimsoll::terminal {
namespace {

TEST(Refuse, ReturnsTheExitCodeOfTheError) {
    const CommandContext context;
    EXPECT_EQ(refuse(context, {Errc::invalid_input, "m", ""}), 2);
    EXPECT_EQ(refuse(context, {Errc::not_found, "m", ""}), 2);
    EXPECT_EQ(refuse(context, {Errc::unauthenticated, "m", ""}), 3);
    EXPECT_EQ(refuse(context, {Errc::forbidden, "m", ""}), 3);
    EXPECT_EQ(refuse(context, {Errc::unavailable, "m", ""}), 4);
    EXPECT_EQ(refuse(context, {Errc::timeout, "m", ""}), 4);
    EXPECT_EQ(refuse(context, {Errc::unavailable, "m", ""}, ExitStatus::failed), 1);
}

TEST(Refuse, PrintsTheMessageAndItsPlaceToStandardError) {
    testing::internal::CaptureStdout();
    testing::internal::CaptureStderr();
    refuse(CommandContext(), {Errc::invalid_input, "It is wrong.", "--name"});
    refuse(CommandContext(), {Errc::invalid_input, "It is wrong.", ""});
    EXPECT_EQ(testing::internal::GetCapturedStderr(),
              "Error: It is wrong. (--name)\nError: It is wrong.\n");
    EXPECT_EQ(testing::internal::GetCapturedStdout(), "");
}

TEST(Refuse, PrintsJsonForPrograms) {
    CommandContext context;
    context.json = true;
    testing::internal::CaptureStderr();
    refuse(context, {Errc::invalid_input, "It is wrong.", "--name"});
    EXPECT_EQ(testing::internal::GetCapturedStderr(),
              "{\"error\":{\"code\":\"invalid_input\",\"message\":\"It is wrong.\",\"where\":"
              "\"--name\"}}\n");
}

}  // namespace
}  // namespace plimsoll::terminal
