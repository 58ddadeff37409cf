#include "server/worker/loop/time_guard.hpp"

#include <algorithm>
#include <array>
#include <cstdio>

namespace plimsoll::worker {

namespace {

std::string kind_of(const queue::ClaimedTask& task) {
    return task.kind + ":" + std::to_string(task.kind_version);
}

double estimated_seconds(const RunningTasks& running) {
    double seconds = 0;
    for (const auto* slot : running.slots) seconds += slot->task.estimated_seconds;
    return seconds;
}

std::string in_words(double seconds) {
    std::array<char, 32> text{};
    std::snprintf(text.data(), text.size(), "%.3g s", seconds);
    return text.data();
}

}  // namespace

void TimeGuard::learn(const Batch& batch) {
    // Reports come in the order of their tasks; stopped ones have none.
    auto slot = batch.slots.begin();
    for (const auto& report : batch.reports) {
        const auto is_reported = [&](const auto& one) {
            return one->task.job == report.job && one->task.seq == report.seq;
        };
        slot = std::find_if(slot, batch.slots.end(), is_reported);
        if (slot == batch.slots.end()) return;
        const auto& task = (*slot)->task;
        if (report.outcome != queue::TaskReport::Outcome::done || task.merge) continue;
        auto& correction = corrections_.try_emplace(kind_of(task), 1.0).first->second;
        if (task.estimated_seconds <= 0) continue;
        // Slower tasks count fully, faster ones by half, and none shortens an estimate: the next
        // task of the kind may do something else.
        const double measured = report.device_seconds / task.estimated_seconds;
        correction = std::max({1.0, measured, (correction + measured) / 2});
    }
}

double TimeGuard::predicted_seconds(const std::string& kind, double estimated) const {
    const auto found = corrections_.find(kind);
    return estimated * (found == corrections_.end() ? 1.0 : found->second);
}

std::chrono::milliseconds TimeGuard::allowed(const queue::ClaimedTask& task) const {
    return limit(kind_of(task), task.estimated_seconds);
}

std::chrono::milliseconds TimeGuard::allowed(const RunningTasks& running) const {
    return limit(kind_of(running.slots.front()->task), estimated_seconds(running));
}

std::chrono::milliseconds TimeGuard::limit(const std::string& kind, double estimated) const {
    using Milliseconds = std::chrono::duration<double, std::milli>;
    const std::chrono::duration<double> predicted(predicted_seconds(kind, estimated) *
                                                  limits_.times);
    // Floating point until bounded: an estimate may be any number.
    Milliseconds max = estimated > 0 ? std::max<Milliseconds>(predicted, limits_.min)
                                     : Milliseconds(limits_.unpredicted);
    if (!corrections_.contains(kind)) max = std::max<Milliseconds>(max, limits_.first);
    max = std::min<Milliseconds>(max, limits_.max);
    return std::chrono::duration_cast<std::chrono::milliseconds>(max);
}

std::optional<std::string> TimeGuard::check(const std::optional<RunningTasks>& running,
                                            TimePoint now) {
    const auto number = running ? running->number : 0;
    if (number != seen_) {
        seen_ = number;
        since_ = now;
    }
    if (!running) return std::nullopt;
    const auto max = allowed(*running);
    if (now - since_ < max) return std::nullopt;
    const auto kind = kind_of(running->slots.front()->task);
    const double estimated = estimated_seconds(*running);
    const std::chrono::duration<double> seconds = max;
    if (estimated <= 0) {
        return "A task ran too long (its kind predicts no time; allowed: " +
               in_words(seconds.count()) + "): its worker process was stopped.";
    }
    return "A task ran too long (predicted: " + in_words(predicted_seconds(kind, estimated)) +
           ", allowed: " + in_words(seconds.count()) + "): its worker process was stopped.";
}

}  // namespace plimsoll::worker
