#include "server/worker/loop/pace.hpp"

#include <algorithm>

namespace plimsoll::worker {
namespace {

// No device is that much faster than estimated; shorter times come from tasks that had nothing to
// do.
constexpr double kMinSlowness = 0.01;
// A claim ends with the task that fills it, so that it may hold nearly twice its size.
constexpr double kClaimAhead = 2.5;

// Slower tasks count fully, faster ones by half: claiming too little costs little.
double followed(double before, double now) { return std::max(now, (before + now) / 2); }

}  // namespace

void Pace::learn(const Batch& batch) {
    if (batch.reports.empty()) return;
    double seconds = 0;
    for (const auto& report : batch.reports) seconds += report.device_seconds;
    const double mean = seconds / static_cast<double>(batch.reports.size());
    task_seconds_ = task_seconds_ < 0 ? mean : followed(task_seconds_, mean);
    learn_slowness(batch);
}

void Pace::learn_slowness(const Batch& batch) {
    if (batch.has_unfinished()) return;
    double estimated = 0;
    double taken = 0;
    for (const auto& slot : batch.slots) estimated += slot->task.estimated_seconds;
    for (const auto& report : batch.reports) {
        if (report.outcome != queue::TaskReport::Outcome::done) return;
        taken += report.device_seconds;
    }
    if (estimated <= 0) return;
    slowness_ = followed(slowness_, std::max(taken / estimated, kMinSlowness));
}

// On a device slower than estimated, claims stay as they are: the cause is usually the first use of
// a model, or tasks so short that the time around them counts.
double Pace::work() const { return limits_.seconds / std::min(slowness_, 1.0); }

bool Pace::claims_ahead_of(double estimated) const {
    return estimated * slowness_ <= kClaimAhead * limits_.seconds;
}

int Pace::tasks() const {
    if (task_seconds_ < 0) return limits_.fewest_tasks;
    const double fitting = limits_.seconds / std::max(task_seconds_, 1e-9);
    return static_cast<int>(std::clamp(fitting, static_cast<double>(limits_.fewest_tasks),
                                       static_cast<double>(limits_.max_tasks)));
}

void Slowness::learn(const Batch& batch, const std::vector<std::string>& kinds) {
    struct Sum {
        double estimated = 0;
        double taken = 0;
    };
    std::map<std::string, Sum> sums;
    // Most of the thousand tasks of a batch have the same kind: look one up only when it changes.
    const queue::ClaimedTask* last = nullptr;
    Sum* sum = nullptr;
    auto report = batch.reports.begin();
    for (const auto& slot : batch.slots) {  // reports are in their order
        const auto& task = slot->task;
        if (report == batch.reports.end()) break;
        if (report->job != task.job || report->seq != task.seq) continue;
        if (last == nullptr || last->kind != task.kind || last->kind_version != task.kind_version) {
            const auto kind = task.kind + ":" + std::to_string(task.kind_version);
            sum = std::ranges::find(kinds, kind) == kinds.end() ? nullptr : &sums[kind];
            last = &task;
        }
        if (sum != nullptr && !task.merge && report->outcome == queue::TaskReport::Outcome::done) {
            sum->estimated += task.estimated_seconds;
            sum->taken += report->device_seconds;
        }
        ++report;
    }
    for (const auto& [kind, of] : sums) {
        if (of.estimated <= 0) continue;
        const double now = of.taken / of.estimated;
        const auto [known, is_new] = by_kind_.try_emplace(kind, now);
        if (!is_new) known->second = (known->second + now) / 2;
    }
}

}  // namespace plimsoll::worker
