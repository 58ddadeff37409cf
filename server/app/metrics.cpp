#include "server/app/metrics.hpp"

#include "engine/base/json.hpp"
#include "server/postgres/workers/statistics.hpp"
#include "server/queue/job.hpp"
#include "server/queue/share_store.hpp"
#include "server/queue/shares.hpp"
#include "server/queue/store.hpp"

#include <array>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <sstream>

#include <prometheus/gauge.h>
#include <prometheus/text_serializer.h>
#include <sys/resource.h>
#include <unistd.h>

namespace plimsoll::app {
namespace {

namespace asio = boost::asio;

using Labels = std::vector<prometheus::ClientMetric::Label>;

Labels labels_of(const queue::DeviceStatus& device) {
    return {
        {"node", device.node}, {"device", device.device}, {"device_class", device.device_class}};
}

Labels operator+(Labels labels, prometheus::ClientMetric::Label more) {
    labels.push_back(std::move(more));
    return labels;
}

// A worker of another version may report fewer or other values.
double number(const json& telemetry, const char* member) {
    const auto found = telemetry.find(member);
    return found != telemetry.end() && found->is_number() ? found->get<double>() : 0;
}

Families queue_metrics(const std::vector<postgres::QueueDepth>& depths) {
    auto depth = gauge("plimsoll_queue_depth",
                       "Queue depth in tasks; the state waiting counts retries and scheduled jobs "
                       "(each job once), up to 10000");
    for (const auto& one : depths) {
        depth.add(static_cast<double>(one.tasks),
                  {{"device_class", one.device_class}, {"state", one.state}});
    }
    Families all;
    all.push_back(std::move(depth).take());
    return all;
}

Families vacuum_metrics(const std::vector<queue::VacuumHolder>& holders) {
    auto held = gauge("plimsoll_vacuum_blocked_seconds",
                      "Age of the oldest vacuum blocker, by kind (replication_log: blocks the "
                      "removal of write-ahead log); 0: none");
    for (const std::string sort :
         {"session", "replication_slot", "prepared_transaction", "replication_log"}) {
        double seconds = 0;
        for (const auto& one : holders)
            if (one.holder == sort) seconds = one.seconds;
        held.add(seconds, {{"holder", sort}});
    }
    Families all;
    all.push_back(std::move(held).take());
    return all;
}

// Device states, and the telemetry of their workers' last heartbeats.
Families device_metrics(const std::vector<queue::DeviceStatus>& devices) {
    constexpr std::array kStates = {"ready", "busy", "failed", "gone"};
    constexpr std::array kOutcomes = {"done", "failed", "retried", "released", "dropped"};
    auto state = gauge("plimsoll_device_state", "1 for the current state of the device");
    auto running = gauge("plimsoll_device_tasks", "Tasks leased by the device's worker");
    auto memory = gauge("plimsoll_device_memory_bytes", "Memory of the device; absent if unknown");
    auto free =
        gauge("plimsoll_device_memory_free_bytes", "Free memory of the device at the last claim");
    auto utilization =
        gauge("plimsoll_device_utilization_ratio", "Fraction of time the device was busy");
    auto available =
        gauge("plimsoll_device_memory_available_bytes", "Free memory as reported by the device");
    auto temperature =
        gauge("plimsoll_device_temperature_celsius", "Temperature as reported by the device");
    auto power = gauge("plimsoll_device_power_watts", "Power draw as reported by the device");
    auto errors = gauge("plimsoll_device_memory_errors",
                        "Uncorrected memory errors since the driver started");
    auto warnings = gauge("plimsoll_device_warning", "1 while the device has this warning");
    auto claims = counter("plimsoll_worker_claims_total", "Claims that returned tasks");
    auto tasks = counter("plimsoll_worker_tasks_total",
                         "Tasks by outcome; dropped: the lease was lost before the result");
    for (const auto& device : devices) {
        const auto labels = labels_of(device);
        for (const auto* one : kStates) {
            state.add(device.state == one ? 1 : 0,
                      labels + prometheus::ClientMetric::Label{"state", one});
        }
        running.add(static_cast<double>(device.tasks_running), labels);
        if (device.memory_bytes > 0) memory.add(static_cast<double>(device.memory_bytes), labels);
        const auto telemetry = json::parse(device.telemetry, nullptr, false);
        if (!telemetry.is_object()) continue;
        if (const double bytes = number(telemetry, "free_memory"); bytes > 0)
            free.add(bytes, labels);
        if (const auto told = telemetry.find("device");
            told != telemetry.end() && told->is_object()) {
            const auto add = [&](Reading& metric, const char* member, double scale) {
                const auto value = told->find(member);
                if (value != told->end() && value->is_number())
                    metric.add(value->get<double>() * scale, labels);
            };
            add(utilization, "utilization_percent", 0.01);
            add(available, "memory_free_bytes", 1);
            add(temperature, "temperature_celsius", 1);
            add(power, "power_watts", 1);
            add(errors, "uncorrected_memory_errors", 1);
            for (const auto& warning : told->value("warnings", json::array())) {
                warnings.add(
                    1, labels + prometheus::ClientMetric::Label{"code", warning.value("code", "")});
            }
        }
        claims.add(number(telemetry, "claims"), labels);
        for (const std::string outcome : kOutcomes) {
            tasks.add(number(telemetry, ("tasks_" + outcome).c_str()),
                      labels + prometheus::ClientMetric::Label{"outcome", outcome});
        }
    }
    Families all;
    for (auto* reading : {&state, &running, &memory, &free, &utilization, &available, &temperature,
                          &power, &errors, &warnings, &claims, &tasks}) {
        all.push_back(std::move(*reading).take());
    }
    return all;
}

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

double max_open_files() {
    rlimit limit{};
    return getrlimit(RLIMIT_NOFILE, &limit) == 0 ? static_cast<double>(limit.rlim_cur) : 0;
}

// The process_… metrics that Prometheus' own client libraries have, from /proc/self.
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
    add(gauge("process_max_fds", "Limit on open file descriptors"), max_open_files());
    add(gauge("process_start_time_seconds", "Start time, since the Unix epoch"),
        boot_time_seconds() + stat.at(22) / ticks);
    return all;
}

constexpr std::chrono::seconds kQueueFreshness{5};

template <class T>
void append(std::vector<T>& all, std::vector<T> more) {
    all.insert(all.end(), std::make_move_iterator(more.begin()),
               std::make_move_iterator(more.end()));
}

}  // namespace

Metrics::Metrics(const http::Traffic& traffic, postgres::ServerDatabase& database,
                 std::string_view version)
    : traffic_(traffic),
      database_(database),
      duties_(prometheus::BuildCounter()
                  .Name("plimsoll_duty_runs_total")
                  .Help("Runs of background duties, by outcome")
                  .Register(registry_)),
      expired_(prometheus::BuildCounter()
                   .Name("plimsoll_leases_expired_total")
                   .Help("Workers whose leases this server expired after missed heartbeats")
                   .Register(registry_)
                   .Add({})) {
    prometheus::BuildGauge()
        .Name("plimsoll_build_info")
        .Help("Always 1, with the version as label")
        .Register(registry_)
        .Add({{"version", std::string(version)}})
        .Set(1);
}

void Metrics::on_duty_run(std::string_view duty, const Result<int>& done) {
    duties_.Add({{"duty", std::string(duty)}, {"outcome", done ? "done" : "failed"}}).Increment();
    if (done && duty == "expire_leases") expired_.Increment(*done);
}

awaitable<std::string> Metrics::text() {
    co_await refresh_queue();
    auto all = registry_.Collect();
    append(all, traffic_.metrics().Collect());
    append(all, database_metrics());
    append(all, queue_);
    append(all, process_metrics());
    co_return prometheus::TextSerializer().Serialize(all);
}

awaitable<void> Metrics::refresh_queue() {
    if (std::chrono::steady_clock::now() < queue_until_) co_return;
    // Set before waiting, so that concurrent scrapes are served the cached values.
    queue_until_ = std::chrono::steady_clock::now() + kQueueFreshness;
    Families fresh;
    const auto depth = co_await database_.background().statistics.depth();
    if (depth) fresh = queue_metrics(*depth);
    if (depth) {
        if (const auto devices = co_await database_.stores().jobs.devices())
            append(fresh, device_metrics(*devices));
    }
    if (depth) {
        if (const auto holders = co_await database_.stores().shares.vacuum_holders())
            append(fresh, vacuum_metrics(*holders));
    }
    queue_ = std::move(fresh);
}

Families Metrics::database_metrics() const {
    const auto load = database_.load();
    auto connections = gauge("plimsoll_database_connections", "Connections for requests, by state");
    connections.add(static_cast<double>(load.open), {{"state", "open"}});
    connections.add(static_cast<double>(load.configured), {{"state", "configured"}});
    auto calls = gauge("plimsoll_database_calls", "Calls in flight or waiting");
    calls.add(static_cast<double>(load.under_way), {{"state", "under_way"}});
    calls.add(static_cast<double>(load.waiting), {{"state", "waiting"}});
    Families all;
    all.push_back(std::move(connections).take());
    all.push_back(std::move(calls).take());
    return all;
}

}  // namespace plimsoll::app
