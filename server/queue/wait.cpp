#include "server/queue/wait.hpp"

#include <algorithm>
#include <array>

namespace plimsoll::queue {
namespace {

constexpr std::string_view kExactForm = "fp32";

std::string joined(const std::vector<std::string>& words) {
    std::string text;
    for (std::size_t i = 0; i < words.size(); ++i) {
        const bool last = i + 1 == words.size();
        text += (i == 0 ? "" : last ? " and " : ", ") + words[i];
    }
    return text;
}

// The first of the missing models, and what to do about it.
std::string advice(const NeededModel& model, const Lacks& lacks) {
    const auto has = [&](bool same_files) {
        return std::ranges::any_of(lacks.instead, [&](const NeededModel& one) {
            return one.name == model.name && (one.hash == model.hash) == same_files;
        });
    };
    if (has(true)) {
        return " Idle workers prove it, and so does `plimsoll-engine prove " + model.name +
               "` on their machine.";
    }
    const auto files = has(false)
                           ? " They have other files of this name; it needs those with the hash " +
                                 model.hash + "."
                           : std::string();
    return files + " Install it on a worker's machine: plimsoll model pull " + model.name +
           ", or model add with its files.";
}

std::string missing(const Lacks& lacks, const std::string& devices) {
    std::vector<std::string> names;
    for (const auto& model : lacks.models) {
        names.push_back(model.name + (model.form == kExactForm ? "" : " in " + model.form));
    }
    auto text = std::string("It waits for the model") + (names.size() == 1 ? " " : "s ") +
                joined(names) + ", which no connected " + devices + " has.";
    if (!lacks.nodes.empty())
        text +=
            " Not connected now, but seen with it within the last hour: " + joined(lacks.nodes) +
            ".";
    return text + advice(lacks.models.front(), lacks);
}

std::string unfit(const Wait& wait, const std::string& devices) {
    if (wait.lacks && !wait.lacks->models.empty()) return missing(*wait.lacks, devices);
    if (wait.lacks && wait.lacks->memory_mib) {
        constexpr std::int64_t kGibibyte = 1024;
        const auto mib = *wait.lacks->memory_mib;
        const auto size = mib < kGibibyte ? std::to_string(mib) + " MiB"
                                          : std::to_string(mib / kGibibyte) + " GiB";
        return "It needs " + size + " of memory, which no connected " + devices + " has.";
    }
    return "No connected " + devices +
           " can run the job: each lacks something the job needs or does not run this version of "
           "its kind.";
}

std::string stopped(const Hold& hold, const std::string& what) {
    const auto who = hold.by_name.empty() ? "Somebody" : hold.by_name;
    return who + (hold.mode == "drain" ? " is draining " : " paused ") + what + ": " + hold.reason;
}

}  // namespace

std::optional<NeededModel> model_of_capability(std::string_view capability) {
    std::array<std::string_view, 4> words;  // the sort, name, hash, form
    for (auto& word : words) {
        word = capability.substr(0, capability.find(' '));
        capability.remove_prefix(std::min(capability.size(), word.size() + 1));
    }
    const auto& [sort, name, hash, form] = words;
    if ((sort != "model" && sort != "measure") || hash.empty()) return std::nullopt;
    return NeededModel{std::string(name), std::string(hash),
                       std::string(form.empty() ? kExactForm : form)};
}

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
    if (wait.reason == "no_fit") return unfit(wait, devices);
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
