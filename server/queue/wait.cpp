#include "server/queue/wait.hpp"

namespace plimsoll::queue {

std::string describe(const Wait& wait) {
    const auto devices = "device of class " + wait.device_class;
    if (wait.reason == "running") return "It runs.";
    if (wait.reason == "scheduled") return "It is scheduled for later.";
    if (wait.reason == "retrying") return "A task of it failed and waits to be tried again.";
    if (wait.reason == "paused") {
        return "The team's jobs are paused on every " + devices + ".";
    }
    if (wait.reason == "no_device") return "No " + devices + " is connected.";
    if (wait.reason == "no_fit") {
        return "No connected " + devices + " can run it: it needs more memory or another ability.";
    }
    if (wait.reason == "draining") {
        return "Every " + devices + " that could run it is being drained.";
    }
    if (wait.reason == "cap") {
        return "The team uses as many devices of class " + wait.device_class + " as it may.";
    }
    if (wait.reason == "own_jobs") {
        if (wait.tasks_ahead == 1) return "It waits behind a task of the team's other jobs.";
        const bool more = wait.tasks_ahead >= kMostTasksAhead;
        return "It waits behind " + std::string(more ? "at least " : "") +
               std::to_string(wait.tasks_ahead) + " tasks of the team's other jobs.";
    }
    return "Its turn is near: every " + devices + " is at other work.";
}

}  // namespace plimsoll::queue
