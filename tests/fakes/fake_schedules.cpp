#include "tests/fakes/fake_schedules.hpp"

#include <algorithm>
#include <utility>

#include <nlohmann/json.hpp>

namespace plimsoll::fakes {

using schedules::Run;
using schedules::Schedule;
using schedules::ScheduleId;

template <class T>
using Reply = FakeSchedules::Reply<T>;

namespace {

tl::unexpected<Error> no_schedule() {
    return fail(Errc::not_found, "The schedule was not found.");
}

tl::unexpected<Error> taken() {
    return fail(Errc::conflict, "The name is taken.", "/name");
}

}  // namespace

FakeSchedules::Stored* FakeSchedules::find(TeamId team, ScheduleId id) {
    const auto found = std::ranges::find_if(
        stored_, [&](const Stored& one) { return one.team == team && one.schedule.id == id; });
    return found == stored_.end() ? nullptr : &*found;
}

bool FakeSchedules::name_taken(TeamId team, const std::string& name,
                               std::optional<ScheduleId> but) const {
    return std::ranges::any_of(stored_, [&](const Stored& one) {
        return one.team == team && one.schedule.settings.name == name && one.schedule.id != but;
    });
}

void FakeSchedules::changed(Schedule& schedule) {
    ++schedule.version;
    schedule.updated_at = SystemClock().now();
}

Reply<std::vector<Schedule>> FakeSchedules::list(TeamId team) {
    std::vector<Schedule> found;
    for (const auto& one : stored_) {
        if (one.team != team) continue;
        auto& schedule = found.emplace_back(one.schedule);
        // Of the job, which may be long, only its kind.
        const auto spec = nlohmann::json::parse(schedule.settings.spec);
        schedule.settings.spec = nlohmann::json{{"kind", spec.value("kind", "")}}.dump();
    }
    std::ranges::sort(found, {}, [](const auto& one) { return one.settings.name; });
    co_return found;
}

Reply<Schedule> FakeSchedules::get(TeamId team, ScheduleId id) {
    const auto* one = find(team, id);
    if (one == nullptr) co_return no_schedule();
    co_return one->schedule;
}

Reply<Schedule> FakeSchedules::create(Author author, schedules::Settings settings,
                                      std::optional<Timestamp> next_at) {
    if (name_taken(author.team, settings.name, std::nullopt)) co_return taken();
    if (std::ranges::count(stored_, author.team, &Stored::team) >= schedules::kSchedulesPerTeam) {
        co_return fail(Errc::conflict, "Too many.");
    }
    Schedule made;
    made.id = {next_++};
    made.settings = std::move(settings);
    made.user = author.user;
    made.user_name = identity_.name_of(author.user);
    made.next_at = next_at;
    made.created_at = made.updated_at = SystemClock().now();
    stored_.push_back({author.team, made, {}});
    co_return made;
}

Reply<Schedule> FakeSchedules::replace(Author author, ScheduleId id, schedules::Settings settings,
                                       std::optional<Timestamp> next_at,
                                       std::optional<int> version) {
    auto* one = find(author.team, id);
    if (one == nullptr) co_return no_schedule();
    auto& schedule = one->schedule;
    if (version && *version != schedule.version) co_return fail(changed_meanwhile());
    if (name_taken(author.team, settings.name, id)) co_return taken();
    schedule.settings = std::move(settings);
    schedule.user = author.user;
    schedule.user_name = identity_.name_of(author.user);
    if (!schedule.paused_at) schedule.next_at = next_at;
    changed(schedule);
    co_return schedule;
}

Reply<Schedule> FakeSchedules::pause(Author author, ScheduleId id) {
    auto* one = find(author.team, id);
    if (one == nullptr) co_return no_schedule();
    auto& schedule = one->schedule;
    if (!schedule.paused_at) {
        schedule.paused_at = SystemClock().now();
        schedule.next_at.reset();
        changed(schedule);
    }
    co_return schedule;
}

Reply<Schedule> FakeSchedules::resume(Author author, ScheduleId id,
                                      std::optional<Timestamp> next_at) {
    auto* one = find(author.team, id);
    if (one == nullptr) co_return no_schedule();
    auto& schedule = one->schedule;
    if (schedule.paused_at) {
        schedule.paused_at.reset();
        schedule.next_at = next_at;
        changed(schedule);
    }
    co_return schedule;
}

Reply<void> FakeSchedules::remove(Author author, ScheduleId id) {
    const auto gone = std::erase_if(stored_, [&](const Stored& one) {
        return one.team == author.team && one.schedule.id == id;
    });
    if (gone == 0) co_return no_schedule();
    co_return Result<void>{};
}

Reply<std::vector<Run>> FakeSchedules::runs(TeamId team, ScheduleId id,
                                            std::optional<Timestamp> before, int limit) {
    const auto* one = find(team, id);
    if (one == nullptr) co_return no_schedule();
    std::vector<Run> found;
    for (auto run = one->runs.rbegin(); run != one->runs.rend(); ++run) {
        if (std::cmp_equal(found.size(), limit) || (before && run->due_at >= *before)) continue;
        found.push_back(*run);
        const auto job = run->job ? jobs_.jobs.find(*run->job) : jobs_.jobs.end();
        if (job != jobs_.jobs.end()) found.back().job_state = to_string(job->second.job.state);
    }
    co_return found;
}

Reply<schedules::Answered> FakeSchedules::run_now(Author author, schedules::Answer answer) {
    auto* one = find(author.team, answer.schedule);
    // In whole milliseconds, as the API tells times, which name runs there.
    Timestamp due_at = std::chrono::floor<std::chrono::milliseconds>(SystemClock().now());
    if (one == nullptr || one->schedule.version != answer.version) {
        co_return schedules::Answered{"changed", {}, due_at};
    }
    auto& runs = one->runs;
    if (!runs.empty()) due_at = std::max(due_at, runs.back().due_at + std::chrono::milliseconds(1));
    Run run;
    run.due_at = run.decided_at = due_at;
    run.by_user = answer.user;
    if (answer.user) run.by_user_name = identity_.name_of(*answer.user);
    run.reason = answer.reason;
    run.outcome = "failed";
    if (answer.submission && !answer.submission->dataset) {
        const auto submitted = jobs_.store(answer.submission->job, std::nullopt);
        if (!submitted && submitted.error().code != Errc::conflict) {
            co_return fail(submitted.error());
        }
        // No run: the key was used before.
        if (!submitted) co_return schedules::Answered{"key_conflict", {}, due_at};
        if (submitted->replayed) {
            const auto first = std::ranges::find(runs, std::optional(submitted->id), &Run::job);
            if (first != runs.end()) due_at = first->due_at;
            co_return schedules::Answered{"replayed", submitted->id, due_at};
        }
        if (submitted->taken) {
            run.reason = "Another job with the same unique key has not finished.";
        } else {
            run.outcome = "submitted";
            run.job = submitted->id;
            jobs_.jobs.at(submitted->id).job.schedule =
                queue::MadeBySchedule{one->schedule.id.value, one->schedule.settings.name, due_at};
        }
    }
    runs.push_back(run);
    co_return schedules::Answered{run.outcome, run.job, due_at};
}

}  // namespace plimsoll::fakes
