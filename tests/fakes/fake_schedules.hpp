#pragma once

#include "server/schedules/store.hpp"
#include "tests/fakes/fake_job_store.hpp"

#include <vector>

namespace plimsoll::fakes {

// Schedules in memory: only manual runs, and only jobs without a dataset. For one thread.
class FakeSchedules final : public schedules::ScheduleStore {
  public:
    template <class T>
    using Reply = schedules::awaitable<Result<T>>;
    using Schedule = schedules::Schedule;
    using ScheduleId = schedules::ScheduleId;

    struct Stored {
        TeamId team;
        Schedule schedule;
        std::vector<schedules::Run> runs;  // oldest first
    };

    // Both outlive this.
    FakeSchedules(const FakeIdentity& identity, FakeJobStore& jobs)
        : identity_(identity), jobs_(jobs) {}

    Reply<std::vector<Schedule>> list(TeamId team) override;
    Reply<Schedule> get(TeamId team, ScheduleId id) override;
    Reply<Schedule> create(Author author, schedules::Settings settings,
                           std::optional<Timestamp> next_at) override;
    Reply<Schedule> replace(Author author, ScheduleId id, schedules::Settings settings,
                            std::optional<Timestamp> next_at, std::optional<int> version) override;
    Reply<Schedule> pause(Author author, ScheduleId id) override;
    Reply<Schedule> resume(Author author, ScheduleId id, std::optional<Timestamp> next_at) override;
    Reply<void> remove(Author author, ScheduleId id) override;
    Reply<std::vector<schedules::Run>> runs(TeamId team, ScheduleId id,
                                            std::optional<Timestamp> before, int limit) override;
    Reply<schedules::Answered> run_now(Author author, schedules::Answer answer) override;

    bool empty() const { return stored_.empty(); }

  private:
    Stored* find(TeamId team, ScheduleId id);
    // Another schedule of the team has the name.
    bool name_taken(TeamId team, const std::string& name, std::optional<ScheduleId> but) const;
    void changed(Schedule& schedule);

    const FakeIdentity& identity_;
    FakeJobStore& jobs_;
    std::vector<Stored> stored_;
    std::int64_t next_ = 1;
};

}  // namespace plimsoll::fakes
