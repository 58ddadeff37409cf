// Workers that die or hang: pauses before the next, and devices that are taken out.
#include "tests/unit/server/worker/supervisor/supervisor_case.hpp"

#include <csignal>

namespace plimsoll::worker {
namespace {

TEST_F(SupervisorTest, ADeadWorkerRestartsAfterGrowingPauses) {
    start();
    started_for("host")->ends("killed by SIGSEGV");
    io_.poll();
    EXPECT_EQ(starts_of("host"), 1);
    advance(500ms);
    ASSERT_EQ(starts_of("host"), 2);
    started_for("host")->ends("exit status 1");
    io_.poll();
    advance(500ms);
    EXPECT_EQ(starts_of("host"), 2);
    advance(500ms);
    EXPECT_EQ(starts_of("host"), 3);
}

TEST_F(SupervisorTest, AWorkerThatRanLongRestartsSoon) {
    start();
    for (int i = 0; i < 5; ++i) {
        started_for("host")->ends("exit status 1");
        io_.poll();
        advance(16s);
    }
    const auto before = starts_of("host");
    for (int i = 0; i < 4; ++i) {
        started_for("host")->says("+");
        advance(20s);
    }
    started_for("host")->ends("exit status 1");
    io_.poll();
    advance(500ms);
    EXPECT_EQ(starts_of("host"), before + 1);
}

TEST_F(SupervisorTest, AWorkerThatWasToldToEndIsReplacedAtOnce) {
    start();
    answer_probe(report({device(0, opencl::DeviceState::ready)}));
    for (int i = 0; i < 6; ++i) {
        started_for("opencl:fake:0")->unread = "+.";
        started_for("opencl:fake:0")->ends("");
        io_.poll();
        EXPECT_EQ(starts_of("opencl:fake:0"), i + 2) << "no pause";
    }
    live(30s);
    EXPECT_TRUE(reported_.empty()) << "nothing failed";
    EXPECT_EQ(started_for("opencl:fake:0")->arguments.front(), "worker");
}

TEST_F(SupervisorTest, AWorkerThatFailsWhileItEndsHasFailed) {
    start();
    for (const char* how : {"exit status 1", "killed by SIGSEGV"}) {
        const auto before = starts_of("host");
        started_for("host")->unread = ".";
        started_for("host")->ends(how);
        io_.poll();
        EXPECT_EQ(starts_of("host"), before) << how;
        advance(1s);
        EXPECT_EQ(starts_of("host"), before + 1) << how;
    }
    // It was the one before that was told.
    started_for("host")->ends("");
    io_.poll();
    EXPECT_EQ(starts_of("host"), 3);
}

TEST_F(SupervisorTest, ADeviceThatKeepsFailingIsDisabledWithAReason) {
    start();
    answer_probe(report({device(0, opencl::DeviceState::ready)}));
    die("opencl:fake:0", 4);
    EXPECT_EQ(starts_of("opencl:fake:0"), 4);
    live(10s);
    EXPECT_TRUE(reported_.empty()) << "the queue still believes in the last worker";
    live(10s);
    ASSERT_EQ(reported_, std::vector<std::string>{"opencl:fake:0"});
    EXPECT_NE(reason_.find("4 workers in a row"), std::string::npos) << reason_;
    EXPECT_NE(reason_.find("killed by SIGSEGV"), std::string::npos) << reason_;
    live(570s);
    EXPECT_EQ(starts_of("opencl:fake:0"), 4);
    live(10s);
    EXPECT_EQ(starts_of("opencl:fake:0"), 5);
    EXPECT_EQ(starts_of("host"), 1) << "the host works on";
}

TEST_F(SupervisorTest, ADeviceThatFailsAgainIsDisabledAgain) {
    start();
    answer_probe(report({device(0, opencl::DeviceState::ready)}));
    die("opencl:fake:0", 4);
    live(600s);
    ASSERT_EQ(starts_of("opencl:fake:0"), 5);
    die("opencl:fake:0", 1);
    live(590s);
    EXPECT_EQ(starts_of("opencl:fake:0"), 5);
    EXPECT_EQ(reported_.size(), 2U);
    live(10s);
    EXPECT_EQ(starts_of("opencl:fake:0"), 6);
}

TEST_F(SupervisorTest, ATaskCompletedBetweenDeathsKeepsTheDeviceEnabled) {
    start();
    answer_probe(report({device(0, opencl::DeviceState::ready)}));
    for (int i = 0; i < 4; ++i) {
        die("opencl:fake:0", 3);
        live(60s);
        // With its last breath.
        started_for("opencl:fake:0")->unread = "+t";
    }
    EXPECT_EQ(starts_of("opencl:fake:0"), 13);
    EXPECT_TRUE(reported_.empty());
}

TEST_F(SupervisorTest, DeathsFarApartAreNotConsecutive) {
    start();
    answer_probe(report({device(0, opencl::DeviceState::ready)}));
    for (int i = 0; i < 6; ++i) {
        live(3600s);
        die("opencl:fake:0", 1);
        live(10s);
    }
    EXPECT_EQ(starts_of("opencl:fake:0"), 7);
    EXPECT_TRUE(reported_.empty());
}

TEST_F(SupervisorTest, TheHostIsNeverDisabled) {
    start();
    answer_probe(report({}));
    for (int i = 0; i < 6; ++i) {
        die("host", 1);
        live(60s);
    }
    EXPECT_EQ(starts_of("host"), 7);
    EXPECT_TRUE(reported_.empty());
}

TEST_F(SupervisorTest, AWorkerThatStopsSendingHeartbeatsIsKilled) {
    start();
    const auto worker = started_for("host");
    advance(25s);
    worker->says("+");
    advance(29s);
    EXPECT_TRUE(worker->signals.empty());
    advance(2s);
    EXPECT_EQ(worker->signals, std::vector<int>{SIGKILL});
    EXPECT_EQ(starts_of("host"), 2);
}

TEST_F(SupervisorTest, TheNextWorkerGetsTheReasonOfTheLastExit) {
    start();
    answer_probe(report({device(0, opencl::DeviceState::ready)}));
    die("opencl:fake:0", 1);
    live(10s);
    const auto last_two = [&] {
        const auto& arguments = started_for("opencl:fake:0")->arguments;
        return Arguments(arguments.end() - 2, arguments.end());
    };
    EXPECT_EQ(last_two(), (Arguments{"--last-exit", "killed by SIGSEGV"}));
    // In two pieces, and in words of its own.
    started_for("opencl:fake:0")->says("+!A task ran");
    io_.poll();
    started_for("opencl:fake:0")->unread = " too long.\n";
    started_for("opencl:fake:0")->ends("exit status 1");
    io_.poll();
    live(10s);
    EXPECT_EQ(started_for("opencl:fake:0")->arguments.back(), "A task ran too long.");
}

}  // namespace
}  // namespace plimsoll::worker
