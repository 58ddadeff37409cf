#include "engine/telemetry/sensors.hpp"

#include <fstream>

#include <gtest/gtest.h>
#include <stdlib.h>

namespace plimsoll::telemetry {
namespace {

namespace fs = std::filesystem;

class Sensors : public testing::Test {
  protected:
    Sensors() {
        std::string pattern = (fs::temp_directory_path() / "plimsoll-XXXXXX").string();
        root_ = mkdtemp(pattern.data());
    }
    ~Sensors() override { fs::remove_all(root_); }

    void write(const std::string& path, const std::string& text) const {
        fs::create_directories((root_ / path).parent_path());
        std::ofstream(root_ / path) << text;
    }

    fs::path root_;
};

TEST(OwnMemory, ComesFromTheLedgerIfTheDriverDoesNotReportIt) {
    Reading told;
    const auto sensor = with_own_memory([&] { return told; }, [] { return 5'000; });
    EXPECT_EQ(sensor().own_memory_bytes, 5'000);
    told.own_memory_bytes = 7'000;
    EXPECT_EQ(sensor().own_memory_bytes, 7'000);
}

TEST(NvidiaSensor, ReportsWhatTheLibraryProvides) {
    auto sensor = nvidia_sensor("0000:3b:00.0", FAKE_NVML);
    ASSERT_TRUE(sensor) << sensor.error().message;
    const auto reading = (*sensor)();
    EXPECT_EQ(reading.utilization_percent, 97);
    EXPECT_EQ(reading.memory_total_bytes, 80'000'000'000);
    EXPECT_EQ(reading.memory_free_bytes, 29'000'000'000);
    EXPECT_EQ(reading.own_memory_bytes, 6'000'000'000);
    EXPECT_EQ(reading.temperature_celsius, 71);
    EXPECT_EQ(reading.power_watts, 310.5);
    EXPECT_FALSE(reading.power_limit_watts) << "it does not say";
    EXPECT_EQ(reading.clock_mhz, 1980);
    EXPECT_EQ(reading.memory_clock_mhz, 3201);
    EXPECT_EQ(reading.uncorrected_memory_errors, 2);
    EXPECT_EQ(reading.fault, 63);
    EXPECT_EQ((*sensor)().fault, 63) << "a fault is not forgotten";
}

TEST(NvidiaSensor, IsUnavailableWithoutLibraryOrGpu) {
    EXPECT_EQ(nvidia_sensor("0000:3b:00.0", "libm.so.6").error().code, Errc::unavailable);
    EXPECT_EQ(nvidia_sensor("0000:af:00.0", FAKE_NVML).error().code, Errc::not_found);
}

TEST_F(Sensors, OfAnAmdGpuReadTheDriversFiles) {
    const std::string gpu = "sys/bus/pci/devices/0000:03:00.0/";
    write(gpu + "gpu_busy_percent", "42\n");
    write(gpu + "mem_info_vram_total", "25753026560\n");
    write(gpu + "mem_info_vram_used", "1753026560\n");
    write(gpu + "hwmon/hwmon3/temp1_input", "64000\n");
    write(gpu + "hwmon/hwmon3/power1_average", "181000000\n");
    write(gpu + "hwmon/hwmon3/power1_cap", "303000000\n");
    write(gpu + "hwmon/hwmon3/freq1_input", "2304000000\n");
    write(gpu + "hwmon/hwmon3/freq2_input", "1249000000\n");
    write(gpu + "ras/umc_err_count", "ue: 2\nce: 7\n");
    write(gpu + "ras/gfx_err_count", "ue: 1\nce: 0\n");
    auto sensor = amd_sensor("0000:03:00.0", root_);
    ASSERT_TRUE(sensor);
    Reading expected;
    expected.utilization_percent = 42;
    expected.memory_total_bytes = 25'753'026'560;
    expected.memory_free_bytes = 24'000'000'000;
    expected.temperature_celsius = 64;
    expected.power_watts = 181;
    expected.power_limit_watts = 303;
    expected.clock_mhz = 2304;
    expected.memory_clock_mhz = 1249;
    expected.uncorrected_memory_errors = 3;
    const auto reading = (*sensor)();
    EXPECT_NEAR(*reading.power_watts, 181, 1e-9);
    EXPECT_EQ(reading.memory_free_bytes, expected.memory_free_bytes);
    EXPECT_EQ(reading.temperature_celsius, expected.temperature_celsius);
    EXPECT_NEAR(*reading.power_limit_watts, 303, 1e-9);
    EXPECT_NEAR(*reading.clock_mhz, 2304, 1e-6);
    EXPECT_NEAR(*reading.memory_clock_mhz, 1249, 1e-6);
    EXPECT_EQ(reading.uncorrected_memory_errors, expected.uncorrected_memory_errors);
    EXPECT_EQ(reading.utilization_percent, expected.utilization_percent);
    EXPECT_FALSE(reading.fault);
}

TEST_F(Sensors, RejectGpusOfOtherDrivers) {
    write("sys/bus/pci/devices/0000:03:00.0/vendor", "0x8086\n");
    EXPECT_EQ(amd_sensor("0000:03:00.0", root_).error().code, Errc::not_found);
}

TEST_F(Sensors, OfTheHostMeasureSinceTheLastReading) {
    write("proc/stat", "cpu  100 0 100 700 100 0 0 0 0 0\ncpu0 1 1 1 1\n");
    write("proc/meminfo", "MemTotal: 24000000 kB\nMemFree: 1 kB\nMemAvailable: 20000000 kB\n");
    write("proc/self/statm", "5000 1000 10 1 0 1 0\n");
    write("sys/class/hwmon/hwmon0/name", "nvme\n");
    write("sys/class/hwmon/hwmon0/temp1_input", "91000\n");
    write("sys/class/hwmon/hwmon1/name", "k10temp\n");
    write("sys/class/hwmon/hwmon1/temp1_input", "55000\n");
    write("sys/class/hwmon/hwmon1/temp3_input", "61500\n");
    write("proc/cpuinfo", "cpu MHz\t\t: 3000.0\ncpu MHz\t\t: 3100.0\n");
    auto sensor = host_sensor(root_);
    write("proc/stat", "cpu  160 0 130 805 105 0 0 0 0 0\n");
    auto reading = sensor();
    EXPECT_DOUBLE_EQ(*reading.utilization_percent, 45) << "90 of 200 ticks";
    EXPECT_EQ(reading.memory_total_bytes, 24'576'000'000);
    EXPECT_EQ(reading.memory_free_bytes, 20'480'000'000);
    EXPECT_GT(reading.own_memory_bytes, 0);
    EXPECT_EQ(reading.temperature_celsius, 61.5) << "the disk's is not the processor's";
    EXPECT_EQ(reading.clock_mhz, 3050);
    write("sys/devices/system/cpu/cpu0/cpufreq/scaling_cur_freq", "2600000\n");
    reading = sensor();
    EXPECT_FALSE(reading.utilization_percent) << "no tick has passed";
    EXPECT_EQ(reading.clock_mhz, 2600);
}

TEST_F(Sensors, OfAnEmptyMachineReportNothing) { EXPECT_EQ(host_sensor(root_)(), Reading{}); }

TEST(HostSensor, ReadsThisMachine) {
    const auto reading = host_sensor()();
    EXPECT_GT(reading.memory_total_bytes, reading.memory_free_bytes);
    EXPECT_GT(reading.own_memory_bytes, 100'000);
}

}  // namespace
}  // namespace plimsoll::telemetry
