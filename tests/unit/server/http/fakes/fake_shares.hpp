#pragma once

#include "server/queue/share_store.hpp"

#include <algorithm>

namespace plimsoll::http::test {

// Shares and holds in memory, of teams 1 ("research") and 2 ("trading"). For the I/O thread.
class FakeShares final : public queue::ShareStore {
  public:
    Answer<std::vector<queue::Share>> shares(std::optional<TeamId> team) override {
        std::vector<queue::Share> found;
        for (const auto& share : stored) {
            if (!team || share.team == *team) found.push_back(share);
        }
        co_return found;
    }
    Answer<std::vector<queue::TeamLimit>> limits(std::optional<TeamId> team) override {
        std::vector<queue::TeamLimit> found;
        if (limit && (!team || limit->team == *team)) found.push_back(*limit);
        co_return found;
    }
    Answer<std::vector<queue::Hold>> holds(std::optional<TeamId> team) override {
        std::vector<queue::Hold> found;
        for (const auto& hold : standing) {
            const bool foreign =
                team && hold.scope == "team" && hold.subject != std::to_string(team->value);
            if (!foreign) found.push_back(hold);
        }
        co_return found;
    }
    Answer<std::vector<queue::ClassOverview>> classes() override {
        co_return std::vector{overview};
    }
    Answer<std::vector<queue::VacuumHolder>> vacuum_holders() override { co_return holders; }
    Answer<std::vector<queue::Usage>> usage(queue::UsageQuery query) override {
        asked = query;
        std::vector<queue::Usage> found;
        for (const auto& row : used) {
            if (!query.team || row.team == query.team) found.push_back(row);
        }
        co_return found;
    }
    Answer<void> set_share(Author, TeamId team, std::string device_class,
                           queue::ShareTerms terms) override {
        const auto share = std::ranges::find(stored, team, &queue::Share::team);
        if (share == stored.end()) co_return missing();
        share->device_class = std::move(device_class);
        share->terms = std::move(terms);
        co_return Result<void>{};
    }
    Answer<void> set_limits(Author, TeamId team, queue::TeamLimits limits) override {
        limit.reset();
        if (limits.queued_jobs || limits.jobs_per_minute) limit = {team, limits, 0};
        co_return Result<void>{};
    }
    Answer<void> set_class(Author, std::string device_class, double half_life_seconds,
                           double entry_limit_seconds) override {
        if (device_class != overview.device_class) co_return missing();
        overview.half_life_seconds = half_life_seconds;
        overview.entry_limit_seconds = entry_limit_seconds;
        co_return Result<void>{};
    }
    Answer<std::int64_t> hold(Author, queue::NewHold hold) override {
        if (hold.node == "nowhere") co_return missing();
        queue::Hold made;
        made.id = static_cast<std::int64_t>(standing.size()) + 1;
        made.scope = hold.scope;
        made.subject = hold.team                   ? std::to_string(hold.team->value)
                       : hold.device_class.empty() ? hold.node
                                                   : hold.device_class;
        made.node = hold.node;
        made.device = hold.device;
        made.mode = hold.mode;
        made.reason = hold.reason;
        made.by_admin = hold.by_admin;
        standing.push_back(made);
        co_return made.id;
    }
    Answer<void> resume(Author, std::int64_t id, std::optional<TeamId> team) override {
        const auto gone = std::erase_if(standing, [&](const queue::Hold& hold) {
            return hold.id == id && (!team || (hold.scope == "team" && !hold.by_admin &&
                                               hold.subject == std::to_string(team->value)));
        });
        if (gone == 0) co_return missing();
        co_return Result<void>{};
    }

    Answer<void> ask_cleanup(Author, std::string node, std::string device) override {
        if (node != "node-a") co_return missing();
        if (device != "host") co_return fail(Errc::conflict, "No worker runs this device now.");
        ++cleanups;
        co_return Result<void>{};
    }

    int cleanups = 0;
    std::vector<queue::Share> stored = {share_of(1, "research"), share_of(2, "trading")};
    std::vector<queue::Usage> used;
    std::optional<queue::UsageQuery> asked;
    std::vector<queue::VacuumHolder> holders;
    std::vector<queue::Hold> standing;
    std::optional<queue::TeamLimit> limit;
    queue::ClassOverview overview{"gpu", 604800, 10, 1, 5, 2, 0};

  private:
    static queue::Share share_of(std::int64_t id, const std::string& name) {
        queue::Share share;
        share.team = TeamId{id};
        share.team_name = name;
        share.device_class = "gpu";
        share.used_share = share.fair_share = 0.5;
        return share;
    }
    static tl::unexpected<Error> missing() {
        return fail(Errc::not_found, "There is no such thing.");
    }
};

}  // namespace plimsoll::http::test
