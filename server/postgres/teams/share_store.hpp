#pragma once

#include "server/postgres/pool/pool.hpp"
#include "server/queue/share_store.hpp"

namespace plimsoll::postgres {

class ShareStore final : public queue::ShareStore {
  public:
    // `pool` has the role plimsoll_app and outlives this.
    explicit ShareStore(Pool& pool) : pool_(pool) {}

    Answer<std::vector<queue::Share>> shares(std::optional<TeamId> team) override;
    Answer<std::vector<queue::TeamLimit>> limits(std::optional<TeamId> team) override;
    Answer<std::vector<queue::Hold>> holds(std::optional<TeamId> team) override;
    Answer<std::vector<queue::ClassOverview>> classes() override;
    Answer<std::vector<queue::VacuumHolder>> vacuum_holders() override;
    Answer<std::vector<queue::Usage>> usage(queue::UsageQuery query) override;
    Answer<void> set_share(Author author, TeamId team, std::string device_class,
                           queue::ShareTerms terms) override;
    Answer<void> set_limits(Author author, TeamId team, queue::TeamLimits limits) override;
    Answer<void> set_class(Author author, std::string device_class, double half_life_seconds,
                           double entry_limit_seconds) override;
    Answer<std::int64_t> hold(Author author, queue::NewHold hold) override;
    Answer<void> resume(Author author, std::int64_t id, std::optional<TeamId> team) override;
    Answer<void> ask_cleanup(Author author, std::string node, std::string device) override;

  private:
    // In a transaction that may write audit rows of any team.
    asio::awaitable<Result<Rows>> edit(const Author& author, Statement statement);
    // In the team's transaction, or in one across teams.
    asio::awaitable<Result<Rows>> run(Statement statement,
                                      std::optional<TeamId> team = std::nullopt);

    Pool& pool_;
};

}  // namespace plimsoll::postgres
