// The part of FakeJobStore that is about the tasks of its jobs.
#include "tests/fakes/fake_job_store.hpp"

#include <tuple>

namespace plimsoll::fakes {

using queue::JobState;

namespace {

std::string task_state(JobState state) {
    if (state == JobState::succeeded) return "done";
    if (state == JobState::failed) return "failed";
    if (state == JobState::cancelled) return "cancelled";
    return state == JobState::running || state == JobState::cancelling ? "running" : "waiting";
}

bool task_matches(const queue::Task& task, const queue::TaskFilter& filter) {
    const auto fits = [](const std::string& wanted, const std::string& is) {
        return wanted.empty() || wanted == is;
    };
    return task.number > filter.after && fits(filter.state, task.state) &&
           fits(filter.node, task.node) && fits(filter.device, task.device) &&
           task.attempt >= filter.attempt && task.error.find(filter.error) != std::string::npos;
}

}  // namespace

awaitable<Result<std::vector<queue::JobLogLine>>> FakeJobStore::log(TeamId team, JobId id,
                                                                    queue::LogFilter filter) {
    const auto stored = find(team, id);
    if (!stored) co_return fail(stored.error());
    const auto place = [](const queue::LogPlace& at) {
        return std::tuple(at.task, at.fence, at.number);
    };
    std::vector<queue::JobLogLine> found;
    for (const auto& line : (*stored)->log) {
        const bool fits = place(line.place) > place(filter.after) &&
                          line.place.task == filter.task.value_or(line.place.task) &&
                          line.attempt == filter.attempt.value_or(line.attempt) &&
                          line.level >= filter.least.value_or(line.level) &&
                          line.at >= filter.from.value_or(line.at) &&
                          (!filter.to || line.at < *filter.to);
        if (fits && static_cast<int>(found.size()) < filter.limit) found.push_back(line);
    }
    co_return found;
}

awaitable<Result<queue::FoundTasks>> FakeJobStore::tasks(TeamId team, JobId id,
                                                         queue::TaskFilter filter) {
    const auto stored = find(team, id);
    if (!stored) co_return fail(stored.error());
    const auto& job = (*stored)->job;
    queue::FoundTasks found;
    queue::Task task;
    for (const auto& planned : (*stored)->plan.tasks) {
        task.state = task_state(job.state);
        task.items = planned.items;
        task.attempt = task.state == "waiting" || task.state == "cancelled" ? 0 : 1;
        task.error = task.state == "failed" ? job.error : "";
        for (const auto& attempt : (*stored)->attempts) {
            if (attempt.task != task.number) continue;
            task.attempt = attempt.number;
            task.node = attempt.node;
            task.device = attempt.device;
            task.error = attempt.error;
        }
        if (task_matches(task, filter) && static_cast<int>(found.tasks.size()) < filter.limit) {
            found.tasks.push_back(task);
        }
        task = {.number = task.number + 1, .first_item = task.first_item + task.items};
    }
    co_return found;
}

}  // namespace plimsoll::fakes
