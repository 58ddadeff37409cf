#include "server/worker/supervisor/supervisor_process.hpp"
#include "tests/unit/server/worker/supervisor/supervisor_case.hpp"

#include <csignal>

#include <gtest/gtest.h>
#include <unistd.h>

namespace plimsoll::worker {
namespace {

// No other process of the machine uses this place.
std::string own_node() { return "test-" + std::to_string(getpid()); }

TEST(SupervisorPlace, HasOneHolder) {
    auto first = SupervisorPlace::take(own_node(), "postgresql://a");
    ASSERT_TRUE(first);
    EXPECT_FALSE(SupervisorPlace::take(own_node(), "postgresql://a"));
    const auto moved = std::move(*first);
    first.reset();
    EXPECT_FALSE(SupervisorPlace::take(own_node(), "postgresql://a"));
}

TEST(SupervisorPlace, IsFreeWhenItsHolderExits) {
    SupervisorPlace::take(own_node(), "postgresql://a").reset();
    EXPECT_TRUE(SupervisorPlace::take(own_node(), "postgresql://a"));
}

TEST(SupervisorPlace, BelongsToANodeAndADatabase) {
    const auto here = SupervisorPlace::take(own_node(), "postgresql://a");
    EXPECT_TRUE(SupervisorPlace::take(own_node(), "postgresql://b"));
    EXPECT_TRUE(SupervisorPlace::take(own_node() + "-2", "postgresql://a"));
}

// Which devices get a worker: the probe, its answers and its repeats.

TEST_F(SupervisorTest, AWorkerGetsTheProbedFeaturesOfItsDevice) {
    auto proven = device(0, opencl::DeviceState::ready);
    proven.features.push_back({"avx512_bf16", 0.1, 0.2, ""});
    start();
    answer_probe(report({proven, device(1, opencl::DeviceState::ready)}));
    const auto probed_of = [&](const std::string& device) {
        const auto& arguments = started_for(device)->arguments;
        const auto flag = std::ranges::find(arguments, "--probed");
        return flag == arguments.end() ? "" : *std::next(flag);
    };
    const auto told = opencl::probe_report_from_json(probed_of("opencl:fake:0")).value();
    ASSERT_EQ(told.devices.size(), 1U);
    EXPECT_TRUE(told.devices[0].has(opencl::Feature::avx512_bf16));
    EXPECT_EQ(probed_of("host"), "");
    started_for("opencl:fake:0")->ends("killed by SIGSEGV");
    advance(1s);
    EXPECT_EQ(starts_of("opencl:fake:0"), 2);
    EXPECT_NE(probed_of("opencl:fake:0"), "") << "the next one, too";
}

TEST_F(SupervisorTest, TheHostHasAWorkerBeforeAnyDeviceAnswers) {
    start();
    ASSERT_NE(started_for("host"), nullptr);
    EXPECT_EQ(
        started_for("host")->arguments,
        (Arguments{"worker", "--device", "host", "--heartbeat-fd", "3", "--running-fd", "4"}));
}

TEST_F(SupervisorTest, EveryReadyDeviceGetsAWorkerAndNoOther) {
    start();
    answer_probe(
        report({device(0, opencl::DeviceState::ready), device(1, opencl::DeviceState::crashed),
                device(2, opencl::DeviceState::ready)}));
    EXPECT_EQ(starts_of("opencl:fake:0"), 1);
    EXPECT_EQ(starts_of("opencl:fake:1"), 0);
    EXPECT_EQ(starts_of("opencl:fake:2"), 1);
    EXPECT_EQ(reported_, std::vector<std::string>{"opencl:fake:1"});
}

TEST_F(SupervisorTest, AReportInPiecesIsRead) {
    start();
    const auto text = report({device(0, opencl::DeviceState::ready)});
    answer_probe(text.substr(0, 20));
    EXPECT_EQ(starts_of("opencl:fake:0"), 0);
    answer_probe(text.substr(20));
    EXPECT_EQ(starts_of("opencl:fake:0"), 1);
}

TEST_F(SupervisorTest, AFailedDeviceIsProbedAgainLater) {
    start();
    answer_probe(
        report({device(0, opencl::DeviceState::ready), device(1, opencl::DeviceState::hung)}));
    live(40s);
    ASSERT_EQ(starts_of("probe"), 2);
    answer_probe(
        report({device(0, opencl::DeviceState::ready), device(1, opencl::DeviceState::ready)}));
    EXPECT_EQ(starts_of("opencl:fake:0"), 1);
    EXPECT_EQ(starts_of("opencl:fake:1"), 1);
    live(600s);
    EXPECT_EQ(starts_of("probe"), 2);
}

TEST_F(SupervisorTest, AReportThatArrivesWithTheExitIsRead) {
    start();
    const auto probe = started_for("probe");
    probe->ends("");
    probe->says(report({device(0, opencl::DeviceState::ready)}));
    io_.poll();
    EXPECT_EQ(starts_of("opencl:fake:0"), 1);
}

TEST_F(SupervisorTest, AProbeThatDiesIsRepeated) {
    start();
    started_for("probe")->ends("killed by SIGSEGV");
    io_.poll();
    advance(31s);
    EXPECT_EQ(starts_of("probe"), 2);
}

// Workers that die or hang: pauses before the next, and devices that are taken out.

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

// Stopping: workers drain, and are killed when they do not.

TEST_F(SupervisorTest, StoppingDrainsTheWorkersAndEnds) {
    start();
    answer_probe(report({device(0, opencl::DeviceState::ready)}));
    const auto worker = started_for("opencl:fake:0");
    worker->obeys_sigterm = false;
    supervisor_.stop();
    io_.poll();
    EXPECT_EQ(worker->signals, std::vector<int>{SIGTERM});
    EXPECT_FALSE(ended_);
    worker->ends("");
    io_.poll();
    EXPECT_TRUE(ended_);
    EXPECT_EQ(starts_of("host"), 1);
}

TEST_F(SupervisorTest, StoppingDoesNotWaitForADeviceOutOfService) {
    start();
    answer_probe(report({device(0, opencl::DeviceState::ready)}));
    die("opencl:fake:0", 4);
    live(30s);
    supervisor_.stop();
    io_.poll();
    EXPECT_TRUE(ended_);
}

TEST_F(SupervisorTest, StoppingDoesNotWaitForTheProbe) {
    start();
    supervisor_.stop();
    io_.poll();
    EXPECT_TRUE(ended_);
}

TEST_F(SupervisorTest, AWorkerThatDoesNotDrainIsKilled) {
    start();
    answer_probe(report({}));
    const auto worker = started_for("host");
    worker->obeys_sigterm = false;
    supervisor_.stop();
    for (int i = 0; i < 4; ++i) {
        worker->says("+");
        advance(9s);
    }
    EXPECT_FALSE(ended_);
    advance(5s);
    EXPECT_EQ(worker->signals, (std::vector<int>{SIGTERM, SIGKILL}));
    EXPECT_TRUE(ended_);
}

TEST_F(SupervisorTest, ASecondStopForwardsItAndThenKills) {
    start();
    answer_probe(report({}));
    const auto worker = started_for("host");
    worker->obeys_sigterm = false;
    supervisor_.stop();
    supervisor_.stop();
    advance(4s);
    EXPECT_EQ(worker->signals, (std::vector<int>{SIGTERM, SIGTERM, SIGKILL}));
    EXPECT_TRUE(ended_);
}

}  // namespace

}  // namespace plimsoll::worker
