#include "engine/telemetry/json.hpp"
#include "engine/telemetry/monitor.hpp"
#include "engine/telemetry/sensors.hpp"
#include "engine/telemetry/warnings.hpp"

#include <future>
#include <memory>
#include <semaphore>
#include <thread>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace plimsoll::telemetry {
namespace {

constexpr std::uint64_t kGigabyte = 1'000'000'000;

TEST(NvidiaMemory, EachReadingSeesTheCurrentUsageOfOthers) {
    const auto probe = nvidia_memory("0000:3b:00.0", FAKE_NVML);
    ASSERT_TRUE(probe) << probe.error().message;
    EXPECT_EQ((*probe)(), (DeviceMemory{80 * kGigabyte, 29 * kGigabyte}));
    EXPECT_EQ((*probe)(), (DeviceMemory{80 * kGigabyte, 28 * kGigabyte}));
    const auto copy = *probe;
    EXPECT_EQ(copy()->free, 27 * kGigabyte);
    EXPECT_FALSE((*probe)()) << "a look that failed is no reading";
}

TEST(NvidiaMemory, AnotherGpuIsNotFound) {
    const auto probe = nvidia_memory("0000:af:00.0", FAKE_NVML);
    ASSERT_FALSE(probe);
    EXPECT_EQ(probe.error().code, Errc::not_found);
}

TEST(NvidiaMemory, WithoutTheLibraryThereIsNoProbe) {
    for (const auto* library : {"libplimsoll-nothing.so", "libm.so.6"}) {
        const auto probe = nvidia_memory("0000:3b:00.0", library);
        ASSERT_FALSE(probe) << library;
        EXPECT_EQ(probe.error().code, Errc::unavailable);
    }
}

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

std::string codes(const std::vector<Warning>& warnings) {
    std::string all;
    for (const auto& warning : warnings) all += (all.empty() ? "" : " ") + warning.code;
    return all;
}

Reading hot(double celsius) {
    Reading reading;
    reading.temperature_celsius = celsius;
    return reading;
}

TEST(Watch, BeginsAtTheThirdReadingAndEndsOnlyWellWithinTheLimit) {
    Watch watch({}, true);
    EXPECT_EQ(codes(watch.look(hot(86))), "");
    EXPECT_EQ(codes(watch.look(hot(86))), "");
    EXPECT_EQ(codes(watch.look(hot(85))), "") << "85 is not past 85";
    for (const double celsius : {86, 90}) EXPECT_EQ(codes(watch.look(hot(celsius))), "");
    EXPECT_EQ(codes(watch.look(hot(87))), "temperature");
    EXPECT_EQ(codes(watch.look(hot(84))), "temperature") << "not clearly back";
    EXPECT_EQ(codes(watch.look(hot(82.5))), "temperature");
    EXPECT_EQ(codes(watch.look(hot(82))), "");
    EXPECT_EQ(codes(watch.look(hot(86))), "");
}

TEST(Watch, NamesTheValueAndTheLimit) {
    Watch watch({.temperature_celsius = 70}, true);
    std::vector<Warning> warnings;
    for (int look = 0; look < 3; ++look) warnings = watch.look(hot(71.4));
    ASSERT_EQ(warnings.size(), 1);
    EXPECT_EQ(warnings[0].message, "It is at 71 °C; the limit is 70 °C.");
}

TEST(Watch, WarnsAboutABusyGpuButNotABusyProcessor) {
    Reading busy;
    busy.utilization_percent = 99;
    for (const bool is_gpu : {false, true}) {
        Watch watch({}, is_gpu);
        std::string seen;
        for (int look = 0; look < 3; ++look) seen = codes(watch.look(busy));
        EXPECT_EQ(seen, is_gpu ? "utilization" : "");
    }
}

TEST(Watch, LittleFreeMemoryWarnsUntilAFifthMoreIsFree) {
    Watch watch({.free_memory_bytes = 1'000'000'000}, false);
    Reading reading;
    const auto look = [&](std::uint64_t megabytes) {
        reading.memory_free_bytes = megabytes * 1'000'000;
        return codes(watch.look(reading));
    };
    look(999);
    look(999);
    EXPECT_EQ(look(999), "free_memory");
    EXPECT_EQ(look(1199), "free_memory");
    EXPECT_EQ(look(1200), "");
}

TEST(Watch, ErrorsAndFaultsWarnAtOnce) {
    Watch watch({}, true);
    Reading reading;
    reading.uncorrected_memory_errors = 0;
    EXPECT_EQ(codes(watch.look(reading)), "");
    reading.uncorrected_memory_errors = 2;
    reading.fault = 79;
    EXPECT_EQ(codes(watch.look(reading)), "memory_errors fault");
    EXPECT_EQ(codes(watch.look(hot(20))), "");
}

}  // namespace

}  // namespace plimsoll::telemetry
