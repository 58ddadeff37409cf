#include "server/queue/wait.hpp"

namespace plimsoll::queue {
namespace {

std::string joined(const std::vector<std::string>& words) {
    std::string text;
    for (std::size_t i = 0; i < words.size(); ++i) {
        const bool last = i + 1 == words.size();
        text += (i == 0 ? "" : last ? " and " : ", ") + words[i];
    }
    return text;
}

std::string describe_missing(const jobs::MissingCapability& missing,
                             const std::vector<std::string>& nodes, const std::string& devices) {
    auto text = "It waits for " + missing.what + ", which no connected " + devices + " has.";
    if (!nodes.empty())
        text += " Nodes that had it recently but are not connected now: " + joined(nodes) + ".";
    return missing.advice.empty() ? text : text + " " + missing.advice;
}

std::string unfit(const Wait& wait, const std::optional<jobs::MissingCapability>& missing,
                  const std::string& devices) {
    if (missing) return describe_missing(*missing, wait.lacks->nodes, devices);
    if (wait.lacks && wait.lacks->memory_mib) {
        constexpr std::int64_t kGibibyte = 1024;
        const auto mib = *wait.lacks->memory_mib;
        const auto size = mib < kGibibyte ? std::to_string(mib) + " MiB"
                                          : std::to_string(mib / kGibibyte) + " GiB";
        return "It needs " + size + " of memory, which no connected " + devices + " has.";
    }
    return "No connected " + devices +
           " can run the job: each lacks something the job needs or does not run this version of "
           "the job's kind.";
}

std::string stopped(const Hold& hold, const std::string& what) {
    const auto who = hold.by_name.empty() ? "Somebody" : hold.by_name;
    return who + (hold.mode == "drain" ? " is draining " : " paused ") + what + ": " + hold.reason;
}

}  // namespace

std::optional<jobs::MissingCapability> missing_capability(const Wait& wait,
                                                          const jobs::Contract& kind) {
    if (!wait.lacks || kind.explain_missing == nullptr) return std::nullopt;
    return kind.explain_missing(wait.lacks->missing, wait.lacks->instead);
}

std::string describe(const Wait& wait, const std::optional<jobs::MissingCapability>& missing) {
    const auto devices = "device of class " + wait.device_class;
    if (wait.reason == "running") return "It is running.";
    if (wait.reason == "scheduled") return "It is scheduled for later.";
    if (wait.reason == "retrying") return "A task failed and is waiting to be retried.";
    if (wait.reason == "paused") {
        if (!wait.hold) return "The team's jobs are paused on every " + devices + ".";
        return stopped(*wait.hold, wait.hold->scope == "team" ? "the team" : "every " + devices);
    }
    if (wait.reason == "quota") {
        return "The team's quota of device-seconds of class " + wait.device_class +
               " is used up, or too small for the next task.";
    }
    if (wait.reason == "no_device") return "No " + devices + " is connected.";
    if (wait.reason == "no_fit") return unfit(wait, missing, devices);
    if (wait.reason == "draining") {
        if (wait.hold) return stopped(*wait.hold, "every " + devices + " that could run it");
        return "Every " + devices + " that could run it is being drained.";
    }
    if (wait.reason == "cap")
        return "The team has reached its cap on devices of class " + wait.device_class + ".";
    if (wait.reason == "memory") {
        return "Every " + devices +
               " that could run it has too little free memory: other programs use the rest.";
    }
    if (wait.reason == "own_jobs") {
        if (wait.tasks_ahead == 1) return "It waits behind a task of the team's other jobs.";
        const bool more = wait.tasks_ahead >= kMaxTasksAhead;
        return "It waits behind " + std::string(more ? "at least " : "") +
               std::to_string(wait.tasks_ahead) + " tasks of the team's other jobs.";
    }
    return "It is next in line: every " + devices + " is busy with other work.";
}

}  // namespace plimsoll::queue
