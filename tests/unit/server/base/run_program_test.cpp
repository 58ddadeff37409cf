#include "server/base/programs/child_program.hpp"

#include <csignal>

#include <gtest/gtest.h>
#include <unistd.h>

namespace plimsoll {
namespace {

ChildCommand shell(const std::string& script) {
    return {.path = "/bin/sh", .arguments = {"-c", script}, .environment = {"COLOUR=green"}};
}

TEST(RunProgram, ReturnsItsOutputAndItsStatus) {
    const auto finished = run_program(shell("echo \"$COLOUR$HOME\"; exit 3"));
    ASSERT_TRUE(finished);
    EXPECT_EQ(finished->output, "green\n") << "with no other variable of this program";
    EXPECT_EQ(finished->status, 3);
    EXPECT_EQ(run_program(shell("kill -9 $$"))->status, 128 + SIGKILL);
}

TEST(RunProgram, RedirectsInTheGivenOrder) {
    auto command = shell("cat; echo wrong >&2");
    command.redirections = {{ChildCommand::kNothing, STDIN_FILENO}};
    auto both = command;
    both.redirections.push_back({STDOUT_FILENO, STDERR_FILENO});
    EXPECT_EQ(run_program(both)->output, "wrong\n");
    command.redirections.push_back({ChildCommand::kNothing, STDERR_FILENO});
    EXPECT_EQ(run_program(command)->output, "");
}

TEST(RunProgram, HasNoOtherDescriptors) {
    EXPECT_EQ(run_program(shell("ls /proc/self/fd | wc -l"))->output, "4\n");
}

TEST(RunProgram, RunsWhereAndAsWhomItIsTold) {
    auto command = shell("pwd; umask");
    command.folder = "/usr";
    command.umask = 0077;
    EXPECT_EQ(run_program(command)->output, "/usr\n0077\n");
    if (geteuid() != 0) GTEST_SKIP() << "only root may become another user";
    auto other = shell("id -u; id -g; id -G");
    other.as = RunAs{65534, 65534, {65534}, "/"};
    EXPECT_EQ(run_program(other)->output, "65534\n65534\n65534\n");
}

TEST(RunProgram, CannotRunWhatIsMissing) {
    const auto finished =
        run_program({.path = "/nowhere/at/all", .arguments = {}, .environment = {}});
    ASSERT_FALSE(finished);
    EXPECT_EQ(finished.error().code, Errc::unavailable);
}

TEST(RunProgram, DescribesEnds) {
    EXPECT_EQ(describe_end(3 << 8), "exit status 3");
    EXPECT_EQ(describe_end(SIGSEGV), "killed by SIGSEGV");
}

}  // namespace
}  // namespace plimsoll
