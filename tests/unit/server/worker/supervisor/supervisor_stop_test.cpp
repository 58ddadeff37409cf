// Stopping: workers drain, and are killed when they do not.
#include "tests/unit/server/worker/supervisor/supervisor_case.hpp"

#include <csignal>

namespace plimsoll::worker {
namespace {

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
