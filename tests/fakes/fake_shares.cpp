#include "tests/fakes/fake_shares.hpp"

#include "tests/fakes/stale.hpp"

#include <algorithm>

namespace plimsoll::fakes {

template <class T>
using Answer = queue::ShareStore::Answer<T>;

namespace {

tl::unexpected<Error> no_share() {
    return fail(Errc::not_found, "There is no such thing.");
}

}  // namespace

FakeShares::FakeShares(const FakeIdentity& identity) : identity_(identity) {
    for (const TeamId team : {TeamId{1}, TeamId{2}}) {
        auto& share = shares_.emplace_back();
        share.team = team;
        share.device_class = "gpu";
        share.used_share = share.fair_share = 0.5;
    }
}

Answer<std::vector<queue::Share>> FakeShares::shares(std::optional<TeamId> team) {
    std::vector<queue::Share> found;
    for (auto share : shares_) {
        if (team && share.team != *team) continue;
        share.team_name = identity_.name_of(share.team);
        share.paused = std::ranges::any_of(holds_, [&](const queue::Hold& hold) {
            return hold.scope == "team" && hold.subject == std::to_string(share.team.value);
        });
        found.push_back(std::move(share));
    }
    co_return found;
}

Answer<std::vector<queue::TeamLimit>> FakeShares::limits(std::optional<TeamId> team) {
    std::vector<queue::TeamLimit> found;
    for (const auto& [whose, limits] : limits_) {
        if (!team || whose == *team) found.push_back({whose, limits, 0});
    }
    co_return found;
}

Answer<std::vector<queue::Hold>> FakeShares::holds(std::optional<TeamId> team) {
    std::vector<queue::Hold> found;
    for (auto hold = holds_.rbegin(); hold != holds_.rend(); ++hold) {
        const bool foreign =
            team && hold->scope == "team" && hold->subject != std::to_string(team->value);
        if (!foreign) found.push_back(*hold);
    }
    co_return found;
}

Answer<std::vector<queue::ClassOverview>> FakeShares::classes() {
    co_return std::vector{gpu};
}

Answer<std::vector<queue::Usage>> FakeShares::usage(queue::UsageQuery query) {
    asked = query;
    std::vector<queue::Usage> found;
    for (const auto& row : used) {
        if (!query.team || row.team == query.team) found.push_back(row);
    }
    co_return found;
}

Answer<void> FakeShares::set_share(Author author, TeamId team, std::string device_class,
                                   queue::ShareTerms terms) {
    if (identity_.name_of(team).empty()) co_return no_share();
    if (device_class != gpu.device_class) {
        co_return fail(Errc::invalid_input, "The class was not found.");
    }
    auto share = std::ranges::find_if(shares_, [&](const queue::Share& one) {
        return one.team == team && one.device_class == device_class;
    });
    nlohmann::json present;
    if (share != shares_.end()) {
        const auto& now = share->terms;
        present = {{"weight", now.weight}, {"cap", nullptr}, {"quota", nullptr}};
        if (now.cap) present["cap"] = *now.cap;
        if (now.quota) {
            present["quota"] = {{"seconds", now.quota->seconds}, {"period", now.quota->period}};
        }
    }
    if (stale(author, present)) co_return fail(changed_meanwhile());
    if (share == shares_.end()) share = shares_.insert(share, queue::Share{});
    share->team = team;
    share->device_class = std::move(device_class);
    share->terms = std::move(terms);
    co_return Result<void>{};
}

Answer<void> FakeShares::set_limits(Author author, TeamId team, queue::TeamLimits limits) {
    if (identity_.name_of(team).empty()) co_return no_share();
    const auto found = limits_.find(team);
    const auto now = found == limits_.end() ? queue::TeamLimits{} : found->second;
    nlohmann::json present = {{"queued_jobs", nullptr}, {"jobs_per_minute", nullptr}};
    if (now.queued_jobs) present["queued_jobs"] = *now.queued_jobs;
    if (now.jobs_per_minute) present["jobs_per_minute"] = *now.jobs_per_minute;
    if (stale(author, present)) co_return fail(changed_meanwhile());
    limits_.erase(team);
    if (limits.queued_jobs || limits.jobs_per_minute) limits_[team] = limits;
    co_return Result<void>{};
}

Answer<void> FakeShares::set_class(Author author, std::string device_class,
                                   double half_life_seconds, double entry_limit_seconds) {
    if (device_class != gpu.device_class) co_return no_share();
    if (stale(author, {{"half_life_seconds", gpu.half_life_seconds},
                       {"entry_limit_seconds", gpu.entry_limit_seconds}})) {
        co_return fail(changed_meanwhile());
    }
    gpu.half_life_seconds = half_life_seconds;
    gpu.entry_limit_seconds = entry_limit_seconds;
    co_return Result<void>{};
}

bool FakeShares::knows(const queue::NewHold& hold) const {
    if (hold.team) return !identity_.name_of(*hold.team).empty();
    if (!hold.device_class.empty()) return hold.device_class == gpu.device_class;
    return std::ranges::any_of(devices, [&](const auto& device) {
        return device.first == hold.node && (hold.device.empty() || device.second == hold.device);
    });
}

Answer<std::int64_t> FakeShares::hold(Author author, queue::NewHold hold) {
    if (!knows(hold)) co_return no_share();
    auto& made = holds_.emplace_back();
    made.id = next_hold_++;
    made.scope = hold.scope;
    made.subject = hold.team                   ? std::to_string(hold.team->value)
                   : hold.device_class.empty() ? hold.node
                                               : hold.device_class;
    if (hold.team) made.team_name = identity_.name_of(*hold.team);
    made.node = hold.node;
    made.device = hold.device;
    made.mode = hold.mode;
    made.reason = hold.reason;
    made.by_admin = hold.by_admin;
    made.by_name = identity_.name_of(author.user);
    made.at = SystemClock().now();
    co_return made.id;
}

Answer<void> FakeShares::resume(Author, std::int64_t id, std::optional<TeamId> team) {
    const auto gone = std::erase_if(holds_, [&](const queue::Hold& hold) {
        return hold.id == id && (!team || (hold.scope == "team" && !hold.by_admin &&
                                           hold.subject == std::to_string(team->value)));
    });
    if (gone == 0) co_return no_share();
    co_return Result<void>{};
}

Answer<void> FakeShares::ask_cleanup(Author, std::string node, std::string device) {
    if (gone_devices.contains({node, device})) {
        co_return fail(Errc::conflict, "No worker runs this device now.");
    }
    if (!devices.contains({node, device})) co_return no_share();
    ++cleanups;
    co_return Result<void>{};
}

}  // namespace plimsoll::fakes
