#include "server/worker/supervisor/supervisor.hpp"

#include "engine/opencl/probing/capability.hpp"
#include "fake_child.hpp"
#include "fake_timer.hpp"

#include <csignal>
#include <exception>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>
#include <gtest/gtest.h>

namespace plimsoll::worker {
namespace {

using namespace std::chrono_literals;
using Arguments = std::vector<std::string>;

opencl::Capability device(int index, opencl::DeviceState state) {
    opencl::Capability capability;
    capability.info.address = {"fake", index};
    capability.state = state;
    return capability;
}

std::string report(std::vector<opencl::Capability> devices) {
    return to_json(opencl::ProbeReport{std::move(devices), {}}) + "\n";
}

// A supervisor whose children are the test's.
class SupervisorTest : public testing::Test {
  protected:
    void start() {
        boost::asio::co_spawn(io_, supervisor_.run(), [this](const std::exception_ptr& thrown) {
            EXPECT_FALSE(thrown);
            ended_ = true;
        });
        io_.poll();
    }
    void TearDown() override {
        if (ended_) return;
        supervisor_.stop();
        for (const auto& child : children_) child->ends("");
        io_.poll();
        EXPECT_TRUE(ended_);
    }

    void advance(std::chrono::milliseconds by) {
        for (auto left = by; left > 0ms; left -= 500ms) {
            timer_.advance(std::min(left, 500ms));
            io_.poll();
        }
    }
    // Time passes and every worker shows life.
    void live(std::chrono::seconds time) {
        for (auto left = time; left > 0s; left -= 10s) {
            for (const auto& child : children_) {
                if (child->arguments.front() == "worker") child->says("+");
            }
            advance(10s);
        }
    }
    void answer_probe(const std::string& text) {
        started_for("probe")->says(text);
        io_.poll();
    }

    // The youngest child that was started with this argument, or null.
    std::shared_ptr<ChildScript> started_for(const std::string& argument) const {
        std::shared_ptr<ChildScript> youngest;
        for (const auto& child : children_) {
            if (std::ranges::find(child->arguments, argument) != child->arguments.end()) {
                youngest = child;
            }
        }
        return youngest;
    }
    // Each in its turn, after the pause before it.
    void die(const std::string& device, int times) {
        for (int i = 0; i < times; ++i) {
            started_for(device)->ends("killed by SIGSEGV");
            io_.poll();
            if (i + 1 < times) live(60s);
        }
    }
    std::ptrdiff_t starts_of(const std::string& argument) const {
        return std::ranges::count_if(children_, [&](const auto& child) {
            return std::ranges::find(child->arguments, argument) != child->arguments.end();
        });
    }

    boost::asio::io_context io_{1};
    FakeTimer timer_;
    std::vector<std::shared_ptr<ChildScript>> children_;
    Supervisor supervisor_{
        io_.get_executor(),
        [this](const Arguments& arguments, int) -> Result<std::unique_ptr<Child>> {
            children_.push_back(std::make_shared<ChildScript>(io_.get_executor()));
            children_.back()->arguments = arguments;
            return std::make_unique<FakeChild>(children_.back());
        },
        [this](const opencl::Capability& device) -> awaitable<void> {
            reported_.push_back(to_string(device.info.address));
            reason_ = device.reason;
            co_return;
        },
        timer_, [] { return 0.0; }};
    std::vector<std::string> reported_;
    std::string reason_;  // of the last report
    bool ended_ = false;
};

TEST_F(SupervisorTest, AWorkerIsToldWhatItsDeviceWasProvenToDo) {
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
    EXPECT_EQ(started_for("host")->arguments,
              (Arguments{"worker", "--device", "host", "--heartbeat-fd", "3"}));
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

TEST_F(SupervisorTest, AnAnswerInPiecesIsRead) {
    start();
    const auto text = report({device(0, opencl::DeviceState::ready)});
    answer_probe(text.substr(0, 20));
    EXPECT_EQ(starts_of("opencl:fake:0"), 0);
    answer_probe(text.substr(20));
    EXPECT_EQ(starts_of("opencl:fake:0"), 1);
}

TEST_F(SupervisorTest, ADeviceThatFailsIsTriedAgainLater) {
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

TEST_F(SupervisorTest, AnAnswerThatComesWithTheEndIsHeard) {
    start();
    const auto probe = started_for("probe");
    probe->ends("");
    probe->says(report({device(0, opencl::DeviceState::ready)}));
    io_.poll();
    EXPECT_EQ(starts_of("opencl:fake:0"), 1);
}

TEST_F(SupervisorTest, AProbeThatDiesIsTriedAgain) {
    start();
    started_for("probe")->ends("killed by SIGSEGV");
    io_.poll();
    advance(31s);
    EXPECT_EQ(starts_of("probe"), 2);
}

TEST_F(SupervisorTest, ADeadWorkerComesBackAfterGrowingPauses) {
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

TEST_F(SupervisorTest, AWorkerThatRanLongComesBackSoon) {
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

TEST_F(SupervisorTest, ADeviceThatKeepsFailingIsTakenOutAndSaysWhy) {
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

TEST_F(SupervisorTest, ADeviceThatFailsAgainAfterItsRestRestsAgain) {
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

TEST_F(SupervisorTest, ATaskThatIsDoneBetweenDeathsKeepsTheDeviceIn) {
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

TEST_F(SupervisorTest, DeathsFarApartAreNotInARow) {
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

TEST_F(SupervisorTest, TheHostIsNeverTakenOut) {
    start();
    answer_probe(report({}));
    for (int i = 0; i < 6; ++i) {
        die("host", 1);
        live(60s);
    }
    EXPECT_EQ(starts_of("host"), 7);
    EXPECT_TRUE(reported_.empty());
}

TEST_F(SupervisorTest, StoppingDoesNotWaitForARest) {
    start();
    answer_probe(report({device(0, opencl::DeviceState::ready)}));
    die("opencl:fake:0", 4);
    live(30s);
    supervisor_.stop();
    io_.poll();
    EXPECT_TRUE(ended_);
}

TEST_F(SupervisorTest, AWorkerWithoutSignsOfLifeIsKilled) {
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

TEST_F(SupervisorTest, TheNextWorkerIsToldHowTheLastOneEnded) {
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

TEST_F(SupervisorTest, ASecondStopHurriesAndThenKills) {
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
