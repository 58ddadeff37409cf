#include "engine/opencl/probing/child_process.hpp"

#include <csignal>
#include <cstdio>
#include <stdexcept>

#include <gtest/gtest.h>
#include <unistd.h>

namespace plimsoll::opencl {
namespace {

using namespace std::chrono_literals;
constexpr auto kLong = 10min;

TEST(ChildProcess, ReturnsTheResultOfTheWork) {
    const auto end = run_in_child([] { return std::string(200'000, 'x'); }, kLong);
    EXPECT_EQ(end.kind, ChildEnd::Kind::finished);
    EXPECT_EQ(end.output, std::string(200'000, 'x'));  // more than a pipe holds
}

// What a child printed to the standard error of this process.
std::string printed_by(ChildOutput printed) {
    testing::internal::CaptureStderr();
    run_in_child(
        [] {
            std::puts("said");
            std::fflush(stdout);
            std::fputs("complained", stderr);
            return std::string();
        },
        kLong, printed);
    return testing::internal::GetCapturedStderr();
}

TEST(ChildProcess, PrintsToStandardErrorOrNowhere) {
    EXPECT_EQ(printed_by(ChildOutput::shown), "said\ncomplained");
    EXPECT_EQ(printed_by(ChildOutput::dropped), "");
}

TEST(ChildProcess, NamesTheSignalOfACrash) {
    const auto end = run_in_child(
        []() -> std::string {
            std::raise(SIGSEGV);
            return "not reached";
        },
        kLong);
    EXPECT_EQ(end.kind, ChildEnd::Kind::crashed);
    EXPECT_EQ(end.reason, "killed by SIGSEGV");
}

TEST(ChildProcess, KillsAHangAtTheDeadline) {
    const auto end = run_in_child(
        []() -> std::string {
            for (;;) pause();
        },
        50ms);
    EXPECT_EQ(end.kind, ChildEnd::Kind::hung);
    EXPECT_EQ(end.reason, "no response within 50 ms");
}

TEST(ChildProcess, CarriesTheMessageOfAnException) {
    const auto end =
        run_in_child([]() -> std::string { throw std::runtime_error("driver said no"); }, kLong);
    EXPECT_EQ(end.kind, ChildEnd::Kind::crashed);
    EXPECT_EQ(end.reason, "driver said no");
}

TEST(ChildProcess, ReportsASilentExit) {
    const auto end = run_in_child([]() -> std::string { _exit(3); }, kLong);
    EXPECT_EQ(end.kind, ChildEnd::Kind::crashed);
    EXPECT_EQ(end.reason, "ended with exit status 3");
}

}  // namespace
}  // namespace plimsoll::opencl
