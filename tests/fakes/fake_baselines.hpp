#pragma once

#include "server/teams/baseline_store.hpp"
#include "tests/fakes/fake_job_store.hpp"

#include <algorithm>
#include <tuple>

namespace plimsoll::fakes {

// Baselines in memory. For one thread.
class FakeBaselines final : public teams::BaselineStore {
  public:
    // Both outlive this.
    FakeBaselines(const FakeIdentity& identity, const FakeJobStore& jobs)
        : identity_(identity), jobs_(jobs) {}

    Answer<std::vector<teams::Baseline>> list(TeamId team) override {
        std::vector<teams::Baseline> found;
        for (const auto& one : pinned_) {
            if (one.team == team) found.push_back(shown(one).baseline);
        }
        std::ranges::sort(found, {},
                          [](const auto& one) { return std::tie(one.kind, one.comparison_key); });
        co_return found;
    }
    Answer<std::optional<Found>> find(TeamId team, std::string kind,
                                      std::string comparison_key) override {
        const auto* one = search(team, kind, comparison_key);
        if (one == nullptr) co_return std::optional<Found>();
        co_return shown(*one);
    }
    Answer<teams::Baseline> pin(Author author, NewBaseline wanted) override {
        auto* one = search(author.team, wanted.kind, wanted.comparison_key);
        if (one == nullptr) {
            const auto own = std::ranges::count(pinned_, author.team, &Stored::team);
            if (own >= teams::kBaselinesPerTeam) co_return fail(Errc::conflict, "Too many.");
            one = &pinned_.emplace_back();
            one->team = author.team;
            one->found.baseline.id = {next_++};
        }
        auto& made = one->found.baseline;
        made.kind = wanted.kind;
        made.comparison_key = wanted.comparison_key;
        made.job = wanted.job;
        made.pinned_by = identity_.name_of(author.user);
        made.pinned_at = SystemClock().now();
        one->found.summary = wanted.summary;
        co_return made;
    }
    Answer<void> remove(Author author, teams::BaselineId id) override {
        const auto gone = std::erase_if(pinned_, [&](const Stored& one) {
            return one.team == author.team && one.found.baseline.id == id;
        });
        if (gone == 0) co_return fail(Errc::not_found, "The baseline was not found.");
        co_return Result<void>{};
    }

  private:
    struct Stored {
        TeamId team;
        Found found;
    };

    Stored* search(TeamId team, const std::string& kind, const std::string& comparison_key) {
        const auto found = std::ranges::find_if(pinned_, [&](const Stored& one) {
            return one.team == team && one.found.baseline.kind == kind &&
                   one.found.baseline.comparison_key == comparison_key;
        });
        return found == pinned_.end() ? nullptr : &*found;
    }
    Found shown(const Stored& one) const {
        auto found = one.found;
        if (!jobs_.jobs.contains(*found.baseline.job)) found.baseline.job.reset();
        return found;
    }

    const FakeIdentity& identity_;
    const FakeJobStore& jobs_;
    std::vector<Stored> pinned_;
    std::int64_t next_ = 1;
};

}  // namespace plimsoll::fakes
