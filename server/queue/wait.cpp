#include "server/queue/wait.hpp"

namespace plimsoll::queue {
namespace {

std::string stopped(const Hold& hold, const std::string& what) {
    const auto who = hold.by_name.empty() ? "Somebody" : hold.by_name;
    return who + (hold.mode == "drain" ? " is draining " : " paused ") + what + ": " + hold.reason;
}

}  // namespace

std::string describe(const Wait& wait) {
    const auto devices = "device of class " + wait.device_class;
    if (wait.reason == "running") return "It is running.";
    if (wait.reason == "scheduled") return "It is scheduled for later.";
    if (wait.reason == "retrying") return "A task failed and waits for its retry.";
    if (wait.reason == "paused") {
        if (!wait.hold) return "The team's jobs are paused on every " + devices + ".";
        return stopped(*wait.hold, wait.hold->scope == "team" ? "the team" : "every " + devices);
    }
    if (wait.reason == "quota") {
        return "The team's quota of device-seconds of class " + wait.device_class +
               " is used up, or too small for the next task.";
    }
    if (wait.reason == "no_device") return "No " + devices + " is connected.";
    if (wait.reason == "no_fit") {
        return "No connected " + devices +
               " can run it: it needs more memory, another capability or a model that "
               "none of them has.";
    }
    if (wait.reason == "draining") {
        if (wait.hold) return stopped(*wait.hold, "every " + devices + " that could run it");
        return "Every " + devices + " that could run it is being drained.";
    }
    if (wait.reason == "cap") {
        return "The team has reached its cap of devices of class " + wait.device_class + ".";
    }
    if (wait.reason == "own_jobs") {
        if (wait.tasks_ahead == 1) return "It waits behind a task of the team's other jobs.";
        const bool more = wait.tasks_ahead >= kMostTasksAhead;
        return "It waits behind " + std::string(more ? "at least " : "") +
               std::to_string(wait.tasks_ahead) + " tasks of the team's other jobs.";
    }
    return "It is next in line: every " + devices + " is busy with other work.";
}

}  // namespace plimsoll::queue
