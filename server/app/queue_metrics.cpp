#include "server/app/queue_metrics.hpp"

#include <array>

#include <nlohmann/json.hpp>

namespace plimsoll::app {
namespace {

using nlohmann::json;
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

}  // namespace

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
        for (const auto& one : holders) {
            if (one.holder == sort) seconds = one.seconds;
        }
        held.add(seconds, {{"holder", sort}});
    }
    Families all;
    all.push_back(std::move(held).take());
    return all;
}

Families device_metrics(const std::vector<queue::DeviceStatus>& devices) {
    constexpr std::array kStates = {"ready", "busy", "draining", "failed", "gone"};
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
        if (device.memory_bytes > 0) {
            memory.add(static_cast<double>(device.memory_bytes), labels);
        }
        const auto telemetry = json::parse(device.telemetry, nullptr, false);
        if (!telemetry.is_object()) continue;
        if (const double bytes = number(telemetry, "free_memory"); bytes > 0) {
            free.add(bytes, labels);
        }
        if (const auto told = telemetry.find("device");
            told != telemetry.end() && told->is_object()) {
            const auto add = [&](Reading& metric, const char* member, double scale) {
                const auto value = told->find(member);
                if (value != told->end() && value->is_number()) {
                    metric.add(value->get<double>() * scale, labels);
                }
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

}  // namespace plimsoll::app
