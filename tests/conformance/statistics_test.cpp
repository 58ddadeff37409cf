#include "server/postgres/workers/statistics.hpp"

#include "tests/conformance/store_test.hpp"

namespace plimsoll::conformance {
namespace {

class StatisticsTest : public StoreTest {
  protected:
    // Of a device class that no other test uses.
    std::int64_t depth(const std::string& state) {
        for (const auto& one : must(background_.statistics.depth()))
            if (one.device_class == "accelerator" && one.state == state) return one.tasks;
        throw std::runtime_error("no such state: " + state);
    }
};

TEST_F(StatisticsTest, ATaskIsCountedInItsState) {
    const auto before = depth("ready");
    WorkerProcess worker(io_, kind_, "accelerator", "counted");
    must(stores_.jobs.submit(job_of(3, "accelerator")));
    EXPECT_EQ(depth("ready"), before + 3);
    const auto leased = depth("leased");
    const auto claim = must(worker.store().claim(worker.handle, 60, 2));
    ASSERT_EQ(claim.tasks.size(), 2U);
    EXPECT_EQ(depth("leased"), leased + 2);
    EXPECT_EQ(depth("ready"), before + 1);
    queue::WorkerTelemetry telemetry;
    telemetry.tasks_done = 5;
    must(worker.store().heartbeat(worker.handle, {}, telemetry));
    bool told = false;
    for (const auto& device : must(stores_.jobs.devices())) {
        if (device.device != "counted") continue;
        told = device.telemetry.find("\"tasks_done\":5") != std::string::npos;
    }
    EXPECT_TRUE(told);
}

}  // namespace
}  // namespace plimsoll::conformance
