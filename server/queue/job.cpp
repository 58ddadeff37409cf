#include "server/queue/job.hpp"

#include <array>

#include <nlohmann/json.hpp>

namespace plimsoll::queue {
namespace {

constexpr std::array<std::string_view, 7> kJobStates = {
    "scheduled", "queued", "running", "cancelling", "succeeded", "failed", "cancelled"};

constexpr std::chrono::hours kWorkerAbsence{1};

}  // namespace

std::string_view to_string(JobState state) { return kJobStates[static_cast<std::size_t>(state)]; }

std::optional<JobState> parse_job_state(std::string_view text) {
    for (std::size_t i = 0; i < kJobStates.size(); ++i)
        if (kJobStates[i] == text) return static_cast<JobState>(i);
    return std::nullopt;
}

bool is_ready(const DeviceStatus& device) {
    return device.state == "ready" || device.state == "busy";
}

bool may_come_back(const DeviceStatus& device, Timestamp now) {
    return !is_ready(device) && device.seen_at && *device.seen_at > now - kWorkerAbsence;
}

std::string advertisements_of(const DeviceStatus& device) {
    const auto record = nlohmann::json::parse(device.capability, nullptr, false);
    if (!record.is_object()) return {};
    const auto advertisements = record.find("advertisements");
    return advertisements != record.end() && advertisements->is_object() ? advertisements->dump()
                                                                         : std::string();
}

Job stored(NewJob job, JobId id, Timestamp created_at) {
    Job made;
    made.id = id;
    made.team = job.team;
    made.submitter = job.submitter;
    made.kind = std::move(job.kind);
    made.kind_version = job.kind_version;
    made.name = std::move(job.name);
    made.labels = std::move(job.labels);
    made.priority = job.priority;
    made.state = job.run_at > created_at ? JobState::scheduled : JobState::queued;
    made.args = std::move(job.plan.args);
    // With several, the queue chooses one that is connected.
    made.device_class = job.plan.requirement.device_class;
    if (made.device_class.find(',') != std::string::npos) made.device_class.clear();
    for (const jobs::TaskSpec& task : job.plan.tasks) made.items_total += task.items;
    made.tasks_total = static_cast<int>(job.plan.tasks.size());
    made.unique_key = std::move(job.unique_key);
    made.created_at = created_at;
    made.run_at = job.run_at;
    made.deadline = job.deadline;
    // The precision of what is stored.
    if (job.timeout) made.timeout = Seconds(static_cast<float>(job.timeout->count()));
    made.version = 1;
    return made;
}

}  // namespace plimsoll::queue
