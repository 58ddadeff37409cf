#include "server/http/endpoints/pool/pool_json.hpp"

#include "engine/base/json.hpp"
#include "server/http/endpoints/edits.hpp"
#include "server/http/endpoints/json_values.hpp"

#include <algorithm>
#include <array>
#include <cmath>

namespace plimsoll::http::endpoints {

namespace {

constexpr double kMebibyte = 1 << 20;
constexpr std::array kQuantities = {"utilization_percent",
                                    "memory_total_bytes",
                                    "memory_free_bytes",
                                    "own_memory_bytes",
                                    "temperature_celsius",
                                    "power_watts",
                                    "power_limit_watts",
                                    "clock_mhz",
                                    "memory_clock_mhz",
                                    "uncorrected_memory_errors",
                                    "fault"};

bool is_alive(const queue::DeviceStatus& device) {
    return device.state != "failed" && device.state != "gone";
}

// A worker of another version may report fewer or other values: values of another type count as
// missing.
std::string text_of(const json& told, const char* name) {
    if (!told.is_object()) return {};
    const auto found = told.find(name);
    return found != told.end() && found->is_string() ? found->get<std::string>() : std::string();
}

json list_of(const json& told, const char* name) {
    if (!told.is_object()) return json::array();
    const auto found = told.find(name);
    return found != told.end() && found->is_array() ? *found : json::array();
}

// The worker's last telemetry; null if there is none or the worker is gone.
json told(const queue::DeviceStatus& device) {
    if (!is_alive(device)) return nullptr;
    const auto telemetry = json::parse(device.telemetry, nullptr, false);
    if (!telemetry.is_object()) return nullptr;
    const auto found = telemetry.find("device");
    return found != telemetry.end() && found->is_object() ? *found : json(nullptr);
}

json number_or_null(const json& told, const char* quantity) {
    if (!told.is_object()) return nullptr;
    const auto found = told.find(quantity);
    return found != told.end() && found->is_number() ? *found : json(nullptr);
}

json readings_json(const json& told) {
    if (told.is_null()) return nullptr;
    json readings = json::object();
    for (const auto* quantity : kQuantities) readings[quantity] = number_or_null(told, quantity);
    return readings;
}

json device_warnings(const json& told) {
    auto warnings = json::array();
    for (const auto& warning : list_of(told, "warnings")) {
        warnings.push_back(
            {{"code", text_of(warning, "code")}, {"message", text_of(warning, "message")}});
    }
    return warnings;
}

bool is_healthy(const json& entry) { return entry.at("healthy").get<bool>(); }

json bytes_or_null(const std::optional<std::int64_t>& bytes) {
    return bytes ? json(*bytes) : json(nullptr);
}

json cleanup_json(const std::optional<queue::DeviceCleanup>& cleanup) {
    if (!cleanup) return nullptr;
    return {{"state", cleanup->ended_at ? "done" : "pending"},
            {"requested_by", text_or_null(cleanup->requested_by)},
            {"requested_at", to_rfc3339(cleanup->requested_at)},
            {"finished_at", time_or_null(cleanup->ended_at)},
            {"kept_bytes", bytes_or_null(cleanup->kept_bytes)},
            {"freed_bytes", bytes_or_null(cleanup->freed_bytes)}};
}

// The probe's result, for devices that responded.
json capability_json(const std::string& record) {
    const auto told = json::parse(record, nullptr, false);
    if (!told.is_object() || !told.contains("capabilities")) return nullptr;
    json shown = json::object();
    for (const auto* name : {"platform", "device_version", "driver_version", "memory_source"})
        shown[name] = text_or_null(text_of(told, name));
    for (const auto* name : {"compute_units", "local_memory_bytes"})
        shown[name] = number_or_null(told, name);
    auto proven = json::array();
    for (const auto& capability : list_of(told, "capabilities"))
        if (capability.is_string()) proven.push_back(capability);
    shown["self_tests_passed"] = std::move(proven);
    auto failed = json::array();
    for (const auto* tests : {"self_tests", "features"}) {
        for (const auto& test : list_of(told, tests)) {
            if (!test.is_object() || test.value("passed", json(true)) != false) continue;
            // Compiler output can be very long; the first line is enough.
            const auto failure = text_of(test, "failure");
            failed.push_back({{"name", text_of(test, "name")},
                              {"failure", failure.substr(0, failure.find('\n'))}});
        }
    }
    shown["self_tests_failed"] = std::move(failed);
    return shown;
}

json megabytes(const json& bytes) {
    return bytes.is_null() ? json(nullptr) : json(std::llround(bytes.get<double>() / kMebibyte));
}

// With the names of the health object that GPU monitors expect.
json health_of(const queue::DeviceStatus& device) {
    const auto readings = told(device);
    const auto total = number_or_null(readings, "memory_total_bytes");
    const auto free = number_or_null(readings, "memory_free_bytes");
    json used = nullptr;
    json used_percent = nullptr;
    if (!total.is_null() && !free.is_null() && total.get<double>() > 0) {
        used = total.get<double>() - free.get<double>();
        used_percent = std::round(1000 * used.get<double>() / total.get<double>()) / 10;
    }
    auto warnings = device_warnings(readings);
    const auto driver = text_of(json::parse(device.capability, nullptr, false), "driver_version");
    return {{"healthy", is_alive(device) && warnings.empty()},
            {"node", device.node},
            {"device", device.device},
            {"device_class", device.device_class},
            {"gpu_available", device.device_class == "gpu" && is_alive(device)},
            {"gpu_name", device.name},
            {"utilization_pct", number_or_null(readings, "utilization_percent")},
            {"vram_used_mb", megabytes(used)},
            {"vram_total_mb", megabytes(total)},
            {"vram_utilization_pct", used_percent},
            {"temperature_c", number_or_null(readings, "temperature_celsius")},
            {"driver_version", text_or_null(driver)},
            {"copy_mode", text_or_null(device.copy_mode)},
            {"reason", text_or_null(device.reason)},
            {"warnings", std::move(warnings)}};
}

}  // namespace

json editable_share(const queue::Share& share) {
    json quota;
    if (share.terms.quota)
        quota = {{"seconds", share.terms.quota->seconds}, {"period", share.terms.quota->period}};
    return {{"weight", share.terms.weight},
            {"cap", share.terms.cap ? json(*share.terms.cap) : json(nullptr)},
            {"quota", std::move(quota)}};
}

json share_json(const queue::Share& share) {
    json quota;
    if (share.terms.quota) {
        quota = {{"seconds", share.terms.quota->seconds},
                 {"period", share.terms.quota->period},
                 {"used_seconds", share.quota_used},
                 {"renews_at", time_or_null(share.quota_renews_at)},
                 {"exhausted", share.quota_exhausted}};
    }
    return {{"team", {{"id", to_public(share.team)}, {"name", share.team_name}}},
            {"device_class", share.device_class},
            {"weight", share.terms.weight},
            {"cap", share.terms.cap ? json(*share.terms.cap) : json(nullptr)},
            {"devices_used", share.slots},
            {"tasks_ready", share.ready},
            {"used_seconds", share.used_seconds},
            {"used_share", share.used_share},
            {"fair_share", share.fair_share},
            {"quota", std::move(quota)},
            {"paused", share.paused},
            {"version", content_version(editable_share(share))}};
}

json hold_json(const queue::Hold& hold) {
    json team;
    if (hold.scope == "team")
        team = {{"id", to_public(TeamId{std::stoll(hold.subject)})}, {"name", hold.team_name}};
    return {{"id", public_hold(hold.id)},
            {"scope", hold.scope},
            {"team", std::move(team)},
            {"device_class", hold.scope == "device_class" ? json(hold.subject) : json(nullptr)},
            {"node", text_or_null(hold.node)},
            {"device", text_or_null(hold.device)},
            {"mode", hold.mode},
            {"reason", hold.reason},
            {"created_by", text_or_null(hold.by_name)},
            {"created_by_administrator", hold.by_admin},
            {"created_at", to_rfc3339(hold.at)},
            {"tasks_running", hold.running}};
}

json editable_class(const queue::ClassOverview& overview) {
    return {{"half_life_seconds", overview.half_life_seconds},
            {"entry_limit_seconds", overview.entry_limit_seconds}};
}

json class_json(const queue::ClassOverview& overview) {
    return {{"device_class", overview.device_class},
            {"half_life_seconds", overview.half_life_seconds},
            {"entry_limit_seconds", overview.entry_limit_seconds},
            {"devices", overview.devices},
            {"tasks_ready", overview.ready},
            {"tasks_running", overview.running},
            {"tasks_waiting", overview.waiting},
            {"version", content_version(editable_class(overview))}};
}

json editable_limit(const queue::TeamLimit& limit) {
    const auto number = [](const std::optional<int>& max) {
        return max ? json(*max) : json(nullptr);
    };
    return {{"queued_jobs", number(limit.limits.queued_jobs)},
            {"jobs_per_minute", number(limit.limits.jobs_per_minute)}};
}

json limit_json(const queue::TeamLimit& limit) {
    auto shown = editable_limit(limit);
    shown["version"] = content_version(shown);
    shown["team_id"] = to_public(limit.team);
    shown["queued"] = limit.queued;
    return shown;
}

json warnings_json(const std::vector<queue::VacuumHolder>& holders) {
    auto warnings = json::array();
    for (const auto& one : holders) {
        if (one.seconds < queue::VacuumHolder::kReportAfterSeconds) continue;
        warnings.push_back(
            {{"code", one.holder == "replication_log" ? "wal_retained" : "vacuum_blocked"},
             {"detail", queue::describe(one)},
             {"since", to_rfc3339(one.since)}});
    }
    return warnings;
}

std::string public_hold(std::int64_t id) { return public_id("hold", id); }

std::optional<std::int64_t> parse_hold(const std::string& text) {
    return parse_public_id("hold", text);
}

json device_json(const queue::DeviceStatus& device) {
    const auto readings = told(device);
    const auto processor_class =
        text_of(json::parse(device.capability, nullptr, false), "processor_class");
    return {
        {"node", device.node},
        {"device", device.device},
        {"device_class", device.device_class},
        {"name", device.name},
        {"state", device.state},
        {"reason", text_or_null(device.reason)},
        {"last_exit", text_or_null(device.last_exit)},
        {"copy_mode", text_or_null(device.copy_mode)},
        {"processor_class", text_or_null(processor_class)},
        {"capability", capability_json(device.capability)},
        {"memory_bytes", device.memory_bytes > 0 ? json(device.memory_bytes) : json(nullptr)},
        {"tasks_running", device.tasks_running},
        {"last_seen_at", time_or_null(device.seen_at)},
        {"telemetry", readings_json(readings)},
        {"warnings", device_warnings(readings)},
        {"cleanup", cleanup_json(device.cleanup)},
    };
}

json health_json(const std::vector<queue::DeviceStatus>& devices) {
    auto all = json::array();
    json gpu = nullptr;
    for (const auto& device : devices) {
        if (device.state == "gone") continue;
        all.push_back(health_of(device));
        const auto& entry = all.back();
        const bool is_gpu = device.device_class == "gpu";
        if (is_gpu && (gpu.is_null() || (is_healthy(gpu) && !is_healthy(entry)))) gpu = entry;
    }
    if (gpu.is_null()) gpu = {{"healthy", true}, {"gpu_available", false}};
    const bool healthy = std::ranges::all_of(all, is_healthy);
    return {{"status", healthy ? "ok" : "degraded"},
            {"gpu", std::move(gpu)},
            {"devices", std::move(all)}};
}

}  // namespace plimsoll::http::endpoints
