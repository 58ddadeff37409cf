#pragma once

#include "server/postgres/pool/pool.hpp"
#include "server/schedules/store.hpp"

namespace plimsoll::postgres {

class ScheduleStore final : public schedules::ScheduleStore {
  public:
    // `pool` has the role plimsoll_app and outlives this.
    explicit ScheduleStore(Pool& pool) : pool_(pool) {}

    template <class T>
    using Reply = schedules::awaitable<Result<T>>;

    Reply<std::vector<schedules::Schedule>> list(TeamId team) override;
    Reply<schedules::Schedule> get(TeamId team, schedules::ScheduleId id) override;
    Reply<schedules::Schedule> create(Author author, schedules::Settings settings,
                                      std::optional<Timestamp> next_at) override;
    Reply<schedules::Schedule> replace(Author author, schedules::ScheduleId id,
                                       schedules::Settings settings,
                                       std::optional<Timestamp> next_at,
                                       std::optional<int> version) override;
    Reply<schedules::Schedule> pause(Author author, schedules::ScheduleId id) override;
    Reply<schedules::Schedule> resume(Author author, schedules::ScheduleId id,
                                      std::optional<Timestamp> next_at) override;
    Reply<void> remove(Author author, schedules::ScheduleId id) override;
    Reply<std::vector<schedules::Run>> runs(TeamId team, schedules::ScheduleId id,
                                            std::optional<Timestamp> before, int limit) override;
    Reply<schedules::Answered> run_now(Author author, schedules::Answer answer) override;

  private:
    Pool& pool_;
};

class DueTimes final : public schedules::DueTimes {
  public:
    // As above, preferably the pool of the duties.
    explicit DueTimes(Pool& pool) : pool_(pool) {}

    template <class T>
    using Reply = schedules::awaitable<Result<T>>;

    Reply<std::vector<schedules::Claimed>> claim(int limit, std::chrono::seconds lease) override;
    Reply<schedules::Answered> answer(schedules::Answer answer) override;
    Reply<int> cancel_overlapped() override;

  private:
    Pool& pool_;
};

}  // namespace plimsoll::postgres
