#include "engine/telemetry/files.hpp"
#include "engine/telemetry/sensors.hpp"

#include <cstdlib>
#include <sstream>

#include <unistd.h>

namespace plimsoll::telemetry {
namespace {

namespace fs = std::filesystem;

// Ticks since the machine started, of all processors together.
struct Ticks {
    double busy = 0;
    double all = 0;
};

// The first line of /proc/stat: "cpu user nice system idle iowait irq softirq steal …", proc(5).
std::optional<Ticks> ticks(const fs::path& root) {
    std::ifstream in(root / "proc/stat");
    std::string name;
    if (!(in >> name) || name != "cpu") return std::nullopt;
    Ticks sum;
    double value = 0;
    for (int column = 0; column < 8 && in >> value; ++column) {
        sum.all += value;
        const bool idle = column == 3 || column == 4;
        if (!idle) sum.busy += value;
    }
    return sum;
}

void read_memory(const fs::path& root, Reading& reading) {
    std::ifstream in(root / "proc/meminfo");
    for (std::string line; std::getline(in, line);) {
        std::istringstream words(line);
        std::string key;
        std::uint64_t kibibytes = 0;
        if (!(words >> key >> kibibytes)) continue;
        if (key == "MemTotal:") reading.memory_total_bytes = kibibytes * 1024;
        if (key == "MemAvailable:") reading.memory_free_bytes = kibibytes * 1024;
    }
}

std::optional<std::uint64_t> own_memory(const fs::path& root) {
    std::ifstream in(root / "proc/self/statm");
    std::uint64_t size = 0;
    std::uint64_t resident = 0;
    if (!(in >> size >> resident)) return std::nullopt;
    return resident * static_cast<std::uint64_t>(sysconf(_SC_PAGESIZE));
}

// The hottest sensor of the drivers for Intel's and AMD's processors.
std::optional<double> temperature(const fs::path& root) {
    std::optional<double> hottest;
    for (const auto& monitor : folders_in(root / "sys/class/hwmon")) {
        const auto driver = word_in(monitor / "name");
        if (driver != "coretemp" && driver != "k10temp") continue;
        std::error_code none;
        for (const auto& file : fs::directory_iterator(monitor, none)) {
            const auto name = file.path().filename().string();
            if (!name.starts_with("temp") || !name.ends_with("_input")) continue;
            const auto celsius = scaled(number_in(file.path()), 1e-3);
            if (celsius) hottest = std::max(hottest.value_or(*celsius), *celsius);
        }
    }
    return hottest;
}

// The mean of all processors, from the driver for frequencies, else from /proc/cpuinfo.
std::optional<double> clock_mhz(const fs::path& root) {
    double sum = 0;
    int count = 0;
    for (const auto& cpu : folders_in(root / "sys/devices/system/cpu")) {
        if (const auto khz = number_in(cpu / "cpufreq/scaling_cur_freq")) {
            sum += *khz / 1000;
            ++count;
        }
    }
    if (count == 0) {
        std::ifstream in(root / "proc/cpuinfo");
        for (std::string line; std::getline(in, line);) {
            if (!line.starts_with("cpu MHz")) continue;
            sum += std::strtod(line.c_str() + line.find(':') + 1, nullptr);
            ++count;
        }
    }
    return count > 0 ? std::optional(sum / count) : std::nullopt;
}

class HostSensor {
  public:
    explicit HostSensor(fs::path root) : root_(std::move(root)), last_(ticks(root_)) {}

    Reading operator()() {
        Reading reading;
        const auto now = ticks(root_);
        if (now && last_ && now->all > last_->all)
            reading.utilization_percent = 100 * (now->busy - last_->busy) / (now->all - last_->all);
        last_ = now;
        read_memory(root_, reading);
        reading.own_memory_bytes = own_memory(root_);
        reading.temperature_celsius = temperature(root_);
        reading.clock_mhz = clock_mhz(root_);
        return reading;
    }

  private:
    fs::path root_;
    std::optional<Ticks> last_;
};

}  // namespace

Sensor host_sensor(const fs::path& root) { return HostSensor(root); }

Sensor with_own_memory(Sensor sensor, std::function<std::uint64_t()> ledger_bytes) {
    return [sensor = std::move(sensor), ledger_bytes = std::move(ledger_bytes)] {
        auto reading = sensor();
        if (!reading.own_memory_bytes) reading.own_memory_bytes = ledger_bytes();
        return reading;
    };
}

}  // namespace plimsoll::telemetry
