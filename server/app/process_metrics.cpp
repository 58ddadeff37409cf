#include "server/app/process_metrics.hpp"

#include <filesystem>
#include <fstream>
#include <iterator>
#include <sstream>

#include <sys/resource.h>
#include <unistd.h>

namespace plimsoll::app {
namespace {

// Numbers of /proc/self/stat by their place in proc(5), from 1.
class ProcessStat {
  public:
    ProcessStat() {
        std::ifstream in("/proc/self/stat");
        std::string line;
        std::getline(in, line);
        // The second field, the name in brackets, may hold blanks.
        std::istringstream rest(line.substr(line.rfind(')') + 1));
        std::string word;
        while (rest >> word) fields_.push_back(word);
    }
    double at(std::size_t place) const {
        const auto index = place - kFirst;
        return index < fields_.size() ? std::stod(fields_[index]) : 0;
    }

  private:
    static constexpr std::size_t kFirst = 3;
    std::vector<std::string> fields_;
};

double boot_time_seconds() {
    std::ifstream in("/proc/stat");
    for (std::string word; in >> word;) {
        double seconds = 0;
        if (word == "btime" && in >> seconds) return seconds;
    }
    return 0;
}

double open_files() {
    std::error_code ignored;
    const std::filesystem::directory_iterator files("/proc/self/fd", ignored);
    return static_cast<double>(std::distance(begin(files), end(files))) - 1;  // less the folder's
}

double most_open_files() {
    rlimit limit{};
    return getrlimit(RLIMIT_NOFILE, &limit) == 0 ? static_cast<double>(limit.rlim_cur) : 0;
}

}  // namespace

Families process_metrics() {
    const ProcessStat stat;
    const auto ticks = static_cast<double>(sysconf(_SC_CLK_TCK));
    const auto page = static_cast<double>(sysconf(_SC_PAGESIZE));
    Families all;
    const auto add = [&all](Reading metric, double value) {
        all.push_back(std::move(metric).with(value).take());
    };
    add(counter("process_cpu_seconds_total", "User and system time"),
        (stat.at(14) + stat.at(15)) / ticks);
    add(gauge("process_resident_memory_bytes", "Resident memory"), stat.at(24) * page);
    add(gauge("process_virtual_memory_bytes", "Virtual memory"), stat.at(23));
    add(gauge("process_threads", "Threads"), stat.at(20));
    add(gauge("process_open_fds", "Open file descriptors"), open_files());
    add(gauge("process_max_fds", "Limit on open file descriptors"), most_open_files());
    add(gauge("process_start_time_seconds", "Start time, since the Unix epoch"),
        boot_time_seconds() + stat.at(22) / ticks);
    return all;
}

}  // namespace plimsoll::app
