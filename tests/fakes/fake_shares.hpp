#pragma once

#include "server/queue/share_store.hpp"
#include "tests/fakes/fake_identity.hpp"

#include <map>
#include <set>
#include <utility>

namespace plimsoll::fakes {

// Shares, limits and holds in memory, of the teams of a FakeIdentity: nothing is charged or
// claimed. Usage and vacuum figures are those that the test set. For one thread.
class FakeShares final : public queue::ShareStore {
  public:
    // Outlives this. "research" and "trading" have a share of gpu.
    explicit FakeShares(const FakeIdentity& identity);

    Answer<std::vector<queue::Share>> shares(std::optional<TeamId> team) override;
    Answer<std::vector<queue::TeamLimit>> limits(std::optional<TeamId> team) override;
    Answer<std::vector<queue::Hold>> holds(std::optional<TeamId> team) override;
    Answer<std::vector<queue::ClassOverview>> classes() override;
    Answer<std::vector<queue::VacuumHolder>> vacuum_holders() override { co_return holders; }
    Answer<std::vector<queue::Usage>> usage(queue::UsageQuery query) override;
    Answer<void> set_share(Author author, TeamId team, std::string device_class,
                           queue::ShareTerms terms) override;
    Answer<void> set_limits(Author author, TeamId team, queue::TeamLimits limits) override;
    Answer<void> set_class(Author author, std::string device_class, double half_life_seconds,
                           double entry_limit_seconds) override;
    Answer<std::int64_t> hold(Author author, queue::NewHold hold) override;
    Answer<void> resume(Author author, std::int64_t id, std::optional<TeamId> team) override;
    Answer<void> ask_cleanup(Author author, std::string node, std::string device) override;

    // A node and its running device.
    std::set<std::pair<std::string, std::string>> devices = {{"a", "opencl:0:0"},
                                                             {"node-a", "host"}};
    std::set<std::pair<std::string, std::string>> gone_devices = {{"node-a", "opencl:pocl:0"}};
    int cleanups = 0;
    std::vector<queue::Usage> used;
    std::optional<queue::UsageQuery> asked;
    std::vector<queue::VacuumHolder> holders;
    queue::ClassOverview gpu{"gpu", 604800, 10, 1, 5, 2, 0};

  private:
    bool knows(const queue::NewHold& hold) const;

    const FakeIdentity& identity_;
    std::vector<queue::Share> shares_;
    std::map<TeamId, queue::TeamLimits> limits_;
    std::vector<queue::Hold> holds_;  // oldest first
    std::int64_t next_hold_ = 1;
};

}  // namespace plimsoll::fakes
