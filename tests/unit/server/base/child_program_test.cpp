#include "server/base/programs/child_program.hpp"

#include <algorithm>
#include <csignal>
#include <vector>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/wait.h>

namespace plimsoll {
namespace {

using ::testing::ElementsAre;

// A shell script as a child program, and what became of it.
struct Shell {
    ChildProgram child;
    std::vector<std::string> lines;
    Result<int> status = 0;

    // `on_line` may stop it.
    void run(const std::string& script, const std::function<void()>& on_line = [] {}) {
        boost::asio::io_context io;
        const ChildProgram::OnLine keep = [&](std::string_view line) {
            lines.emplace_back(line);
            on_line();
        };
        boost::asio::co_spawn(io, child.run("/bin/sh", {"-c", script}, keep),
                              [&](const std::exception_ptr& error, Result<int> ended) {
                                  if (error) std::rethrow_exception(error);
                                  status = std::move(ended);
                              });
        io.run();
    }
};

TEST(ChildProgram, PassesOnItsLinesAndItsStatus) {
    Shell shell;
    shell.run("echo one; echo two >&2; printf three; exit 3");
    EXPECT_THAT(shell.lines, ElementsAre("one", "two", "three"));
    ASSERT_TRUE(shell.status);
    EXPECT_EQ(describe_end(*shell.status), "exit status 3");
}

TEST(ChildProgram, CutsLinesThatAreTooLong) {
    Shell shell;
    shell.run("head -c 200000 /dev/zero | tr '\\0' x; echo; echo next");
    ASSERT_EQ(shell.lines.size(), 2U);
    EXPECT_EQ(shell.lines[0], std::string(ChildProgram::kMaxLine, 'x'));
    EXPECT_EQ(shell.lines[1], "next");
}

TEST(ChildProgram, IsAskedToStopThenKilled) {
    Shell polite;
    polite.run("trap 'echo cleaned; exit 0' TERM; echo ready; while :; do :; done", [&] {
        if (polite.lines.size() == 1) polite.child.stop();
    });
    EXPECT_THAT(polite.lines, ElementsAre("ready", "cleaned"));
    Shell stubborn;
    stubborn.run("trap '' TERM; echo ready; while :; do :; done", [&] {
        stubborn.child.stop();
        stubborn.child.stop();
    });
    ASSERT_TRUE(stubborn.status);
    EXPECT_TRUE(WIFSIGNALED(*stubborn.status));
    EXPECT_EQ(WTERMSIG(*stubborn.status), SIGKILL);
}

TEST(ChildProgram, GetsNoDescriptorsOfTheServer) {
    Shell shell;
    shell.run("ls /proc/self/fd | wc -l");
    EXPECT_THAT(shell.lines, ElementsAre("4"));  // three, and the folder that is listed
}

TEST(ChildProgram, GivesWayInASessionOfItsOwn) {
    const int least = 19;
    const auto niceness = std::to_string(std::min(least, getpriority(PRIO_PROCESS, 0) + 5));
    const pid_t child = spawn({.path = "/bin/sh",
                               .arguments = {"-c",
                                             "set -- $(cat /proc/$$/stat); [ $6 = $$ ] || exit 1; "
                                             "[ ${19} = " +
                                                 niceness + " ] || exit 2"},
                               .environment = current_environment(),
                               .niceness = 5});
    int status = 0;
    ASSERT_EQ(waitpid(child, &status, 0), child);
    EXPECT_EQ(describe_end(status), "exit status 0");
}

TEST(ChildProgram, MayTakeSoMuchMemoryAndIsTheFirstToGoWithoutAny) {
    const pid_t child =
        spawn({.path = "/bin/sh",
               .arguments = {"-c",
                             "[ $(ulimit -d) = 65536 ] || exit 1; "
                             "[ $(cat /proc/self/oom_score_adj) = 1000 ] || exit 2"},
               .environment = current_environment(),
               .memory_limit = std::uint64_t{64} << 20});
    int status = 0;
    ASSERT_EQ(waitpid(child, &status, 0), child);
    EXPECT_EQ(describe_end(status), "exit status 0");
}

TEST(ChildProgram, FailsAsInAShellIfItIsMissing) {
    boost::asio::io_context io;
    ChildProgram child;
    int status = 0;
    boost::asio::co_spawn(io, child.run("/nowhere/at/all", {}, [](std::string_view) {}),
                          [&](const std::exception_ptr&, Result<int> ended) { status = *ended; });
    io.run();
    EXPECT_EQ(describe_end(status), "exit status 127");
}

}  // namespace
}  // namespace plimsoll
