#pragma once

#include "server/schedules/store.hpp"

#include <algorithm>
#include <vector>

namespace plimsoll::http::test {

// Schedules in memory; runs are kept as they were asked for.
class FakeSchedules final : public schedules::ScheduleStore {
  public:
    template <class T>
    using Reply = schedules::awaitable<Result<T>>;
    using Schedule = schedules::Schedule;
    using ScheduleId = schedules::ScheduleId;

    struct Stored {
        TeamId team;
        Schedule schedule;
    };

    Reply<std::vector<Schedule>> list(TeamId team) override {
        std::vector<Schedule> found;
        for (const auto& one : stored_) {
            if (one.team == team) found.push_back(one.schedule);
        }
        co_return found;
    }
    Reply<Schedule> get(TeamId team, ScheduleId id) override {
        const auto* one = find(team, id);
        if (one == nullptr) co_return missing();
        co_return *one;
    }
    Reply<Schedule> create(Author author, schedules::Settings settings,
                           std::optional<Timestamp> next_at) override {
        Schedule made;
        made.id = {static_cast<std::int64_t>(stored_.size()) + 1};
        made.settings = std::move(settings);
        made.user = author.user;
        made.next_at = next_at;
        stored_.push_back({author.team, made});
        co_return made;
    }
    Reply<Schedule> replace(Author author, ScheduleId id, schedules::Settings settings,
                            std::optional<Timestamp> next_at, std::optional<int> version) override {
        auto* one = find(author.team, id);
        if (one == nullptr) co_return missing();
        if (version && *version != one->version) co_return fail(Errc::conflict, "Changed.");
        one->settings = std::move(settings);
        one->next_at = next_at;
        ++one->version;
        co_return *one;
    }
    Reply<Schedule> pause(Author author, ScheduleId id) override {
        auto* one = find(author.team, id);
        if (one == nullptr) co_return missing();
        one->paused_at = Timestamp();
        one->next_at.reset();
        co_return *one;
    }
    Reply<Schedule> resume(Author author, ScheduleId id,
                           std::optional<Timestamp> next_at) override {
        auto* one = find(author.team, id);
        if (one == nullptr) co_return missing();
        one->paused_at.reset();
        one->next_at = next_at;
        co_return *one;
    }
    Reply<void> remove(Author author, ScheduleId id) override {
        const auto gone = std::erase_if(stored_, [&](const auto& one) {
            return one.team == author.team && one.schedule.id == id;
        });
        if (gone == 0) co_return missing();
        co_return Result<void>{};
    }
    Reply<std::vector<schedules::Run>> runs(TeamId team, ScheduleId id, std::optional<Timestamp>,
                                            int) override {
        if (find(team, id) == nullptr) co_return missing();
        co_return std::vector<schedules::Run>{};
    }
    Reply<schedules::Answered> run_now(Author, schedules::Answer answer) override {
        answers_.push_back(std::move(answer));
        co_return schedules::Answered{outcome_, JobId{7}, Timestamp()};
    }

    std::string outcome_ = "submitted";  // of run_now
    std::vector<schedules::Answer> answers_;
    std::vector<Stored> stored_;

  private:
    static tl::unexpected<Error> missing() {
        return fail(Errc::not_found, "There is no such schedule.");
    }
    Schedule* find(TeamId team, ScheduleId id) {
        for (auto& one : stored_) {
            if (one.team == team && one.schedule.id == id) return &one.schedule;
        }
        return nullptr;
    }
};

}  // namespace plimsoll::http::test
