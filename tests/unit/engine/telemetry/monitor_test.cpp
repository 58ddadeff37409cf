#include "engine/telemetry/monitor.hpp"

#include "engine/telemetry/json.hpp"

#include <future>
#include <memory>
#include <semaphore>
#include <thread>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace plimsoll::telemetry {
namespace {

using namespace std::chrono_literals;

// What a sensor's thread uses may outlive its monitor: it is shared.
TEST(Monitor, KeepsTheLatestReadingWithItsWarnings) {
    const auto fourth = std::make_shared<std::promise<void>>();
    const Sensor sensor = [fourth, looks = 0]() mutable {
        if (++looks == 4) fourth->set_value();  // the third is kept by now, with a warning
        Reading reading;
        reading.temperature_celsius = 90 + looks;
        return reading;
    };
    const Monitor monitor(sensor, Watch({}, true), 1ms);
    fourth->get_future().wait();
    std::optional<Snapshot> latest;
    while (!latest) latest = monitor.latest();
    EXPECT_GE(*latest->reading.temperature_celsius, 93);
    ASSERT_EQ(latest->warnings.size(), 1);
}

TEST(Monitor, AHungDriverDoesNotBlockReaders) {
    const auto never = std::make_shared<std::binary_semaphore>(0);
    {
        const Monitor monitor(
            [never] {
                never->acquire();
                return Reading{};
            },
            Watch({}, true), 1ms);
        EXPECT_FALSE(monitor.latest());
    }
    never->release();
}

TEST(Monitor, AnOldReadingIsNotReported) {
    const auto second = std::make_shared<std::promise<void>>();
    const auto never = std::make_shared<std::binary_semaphore>(0);
    const Sensor sensor = [second, never, looks = 0]() mutable {
        if (++looks == 2) {
            second->set_value();
            never->acquire();
        }
        return Reading{};
    };
    const Monitor monitor(sensor, Watch({}, true), 1ms);
    second->get_future().wait();
    while (monitor.latest()) std::this_thread::yield();
    never->release();
}

TEST(Telemetry, JsonNamesEveryQuantityAndLeavesNoneOut) {
    Snapshot snapshot;
    snapshot.reading.temperature_celsius = 71.04;
    snapshot.warnings = {{"temperature", "Hot."}};
    const auto json = nlohmann::json::parse(to_json(snapshot));
    EXPECT_EQ(json.size(), 12);
    EXPECT_EQ(json["temperature_celsius"], 71.0);
    EXPECT_TRUE(json["power_watts"].is_null());
    EXPECT_EQ(json["warnings"][0]["message"], "Hot.");
}

TEST(Telemetry, TextOmitsUnknownQuantities) {
    Reading reading;
    EXPECT_EQ(to_text(reading), "");
    reading.utilization_percent = 97;
    reading.memory_total_bytes = 24'000'000'000;
    reading.memory_free_bytes = 4'000'000'000;
    reading.power_watts = 310;
    EXPECT_EQ(to_text(reading), "busy 97 %, 20.0 of 24.0 GB used, 310 W");
    reading.power_limit_watts = 350;
    EXPECT_EQ(to_text(reading), "busy 97 %, 20.0 of 24.0 GB used, 310 of 350 W");
}

}  // namespace
}  // namespace plimsoll::telemetry
