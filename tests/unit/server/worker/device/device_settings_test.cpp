#include "server/worker/device/device_settings.hpp"

#include <array>
#include <cstdlib>

#include <gtest/gtest.h>

namespace plimsoll::worker {
namespace {

constexpr std::array kVariables = {"GPU_MAX_UTILIZATION_WARN", "GPU_MAX_TEMPERATURE_C",
                                   "GPU_MIN_FREE_VRAM_MB",     "GPU_PROFILING_ENABLED",
                                   "GPU_MEMORY_CLEANUP",       "GPU_CLEANUP_INTERVAL_SEC",
                                   "FEATURE_CUDA_STREAMS",     "PLIMSOLL_WORKER_MEMORY_MB"};

class DeviceSettingsTest : public testing::Test {
  protected:
    void SetUp() override { forget(); }
    void TearDown() override { forget(); }
    static void forget() {
        for (const auto* variable : kVariables) unsetenv(variable);
    }
};

TEST_F(DeviceSettingsTest, WithoutVariablesTheGuidesLimitsHold) {
    const auto settings = device_settings();
    ASSERT_TRUE(settings);
    EXPECT_EQ(settings->thresholds.utilization_percent, 90);
    EXPECT_EQ(settings->thresholds.temperature_celsius, 85);
    EXPECT_EQ(settings->thresholds.free_memory_bytes, 500'000'000);
    EXPECT_FALSE(settings->log_readings);
    EXPECT_EQ(settings->clean_when_idle, std::chrono::seconds(300));
    EXPECT_FALSE(settings->second_queue);
    EXPECT_EQ(settings->process_bytes, 0);
}

TEST_F(DeviceSettingsTest, EachVariableTakesEffect) {
    setenv("GPU_MAX_UTILIZATION_WARN", "70", 1);
    setenv("GPU_MAX_TEMPERATURE_C", "60", 1);
    setenv("GPU_MIN_FREE_VRAM_MB", "0", 1);
    setenv("GPU_PROFILING_ENABLED", "1", 1);
    setenv("FEATURE_CUDA_STREAMS", "1", 1);
    setenv("PLIMSOLL_WORKER_MEMORY_MB", "256", 1);
    const auto settings = device_settings();
    ASSERT_TRUE(settings);
    EXPECT_EQ(settings->thresholds.utilization_percent, 70);
    EXPECT_EQ(settings->thresholds.temperature_celsius, 60);
    EXPECT_EQ(settings->thresholds.free_memory_bytes, 0);
    EXPECT_TRUE(settings->log_readings);
    EXPECT_TRUE(settings->second_queue);
    EXPECT_EQ(settings->process_bytes, 256'000'000);
}

TEST_F(DeviceSettingsTest, DevicesCleanUpWhenIdleUnlessDisabled) {
    setenv("GPU_CLEANUP_INTERVAL_SEC", "7", 1);
    EXPECT_EQ(device_settings()->clean_when_idle, std::chrono::seconds(7));
    setenv("GPU_MEMORY_CLEANUP", "0", 1);
    EXPECT_FALSE(device_settings()->clean_when_idle);
}

TEST_F(DeviceSettingsTest, AWrongValueNamesItsVariable) {
    for (const auto* variable : kVariables) {
        for (const auto* value : {"-1", "1e3", "often", "2000000"}) {
            setenv(variable, value, 1);
            const auto settings = device_settings();
            ASSERT_FALSE(settings) << variable << value;
            EXPECT_EQ(settings.error().where, variable);
            EXPECT_NE(settings.error().message.find(value), std::string::npos);
        }
        unsetenv(variable);
    }
    setenv("PLIMSOLL_WORKER_MEMORY_MB", "255", 1);
    EXPECT_FALSE(device_settings());
    setenv("PLIMSOLL_WORKER_MEMORY_MB", "0", 1);
    EXPECT_EQ(device_settings()->process_bytes, 0);
}

}  // namespace
}  // namespace plimsoll::worker
