#include "engine/telemetry/warnings.hpp"

#include <gtest/gtest.h>

namespace plimsoll::telemetry {
namespace {

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
