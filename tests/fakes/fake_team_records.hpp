#pragma once

#include "server/teams/team_record_store.hpp"
#include "tests/fakes/fake_job_store.hpp"
#include "tests/fakes/stale.hpp"

#include <algorithm>
#include <string>
#include <tuple>

#include <nlohmann/json.hpp>

namespace plimsoll::fakes {

// Records of teams and members, in memory. For one thread.
class FakeTeamRecords final : public teams::TeamRecordStore {
  public:
    template <class T>
    using Answer = teams::awaitable<Result<T>>;

    FakeTeamRecords() = default;
    // For collections with origins. Both outlive this.
    FakeTeamRecords(const FakeIdentity& identity, const FakeJobStore& jobs)
        : identity_(&identity), jobs_(&jobs) {}

    Answer<std::vector<jobs::TeamRecord>> list(jobs::Collection collection, TeamId team,
                                               teams::RecordFilter filter) override {
        std::vector<jobs::TeamRecord> found;
        for (const auto& one : stored_) {
            const auto& record = one.record;
            if (one.place != place_of(collection, team, filter.member)) continue;
            if (filter.job && record.job != filter.job) continue;
            if (filter.section && record.section != *filter.section) continue;
            if (filter.name && record.name != *filter.name) continue;
            auto& shown = found.emplace_back(record);
            if (!filter.with_data) shown.data.clear();
            if (collection.has_origins && !jobs_->jobs.contains(*shown.job)) shown.job.reset();
        }
        std::ranges::sort(found, {}, [](const jobs::TeamRecord& one) {
            return std::tuple(one.name.empty() ? "" : one.section, one.name,
                              one.name.empty() ? -std::stoll(one.id) : 0);
        });
        const auto limit = static_cast<std::size_t>(filter.limit.value_or(collection.most));
        if (found.size() > limit) found.resize(limit);
        co_return found;
    }
    Answer<jobs::TeamRecord> put(jobs::Collection collection, Author author,
                                 jobs::TeamRecord record) override {
        const auto place = place_of(collection, author.team, author.user);
        const auto there = std::ranges::find_if(stored_, [&](const Stored& one) {
            return one.place == place && !record.name.empty() && one.record.name == record.name &&
                   one.record.section == record.section;
        });
        const bool is_there = there != stored_.end();
        if (stale(author, is_there ? nlohmann::json::parse(there->record.data) : nlohmann::json()))
            co_return fail(changed_meanwhile());
        if (!is_there && std::ranges::count(stored_, place, &Stored::place) >= collection.most) {
            if (!record.name.empty()) co_return fail(Errc::conflict, "Too many.");
            stored_.erase(std::ranges::find(stored_, place, &Stored::place));
        }
        record.updated_at = SystemClock().now();
        record.created_at = is_there ? there->record.created_at : record.updated_at;
        if (identity_ != nullptr) record.author = identity_->name_of(author.user);
        record.id = collection.is_named ? record.name
                    : is_there          ? there->record.id
                                        : std::to_string(next_++);
        if (is_there) {
            there->record = record;
        } else {
            stored_.push_back({place, record});
        }
        co_return record;
    }
    Answer<void> remove(jobs::Collection collection, Author author, std::string id) override {
        const auto gone = std::erase_if(stored_, [&](const Stored& one) {
            return one.place == place_of(collection, author.team, author.user) &&
                   one.record.id == id;
        });
        if (gone == 0) {
            co_return fail(Errc::not_found,
                           "The " + std::string(collection.singular) + " was not found.");
        }
        co_return Result<void>{};
    }

  private:
    using Place = std::tuple<std::string, TeamId, std::optional<UserId>>;
    struct Stored {
        Place place;
        jobs::TeamRecord record;
    };

    static Place place_of(jobs::Collection collection, TeamId team, std::optional<UserId> member) {
        if (!collection.of_members) member.reset();
        return {std::string(collection.name), team, member};
    }

    const FakeIdentity* identity_ = nullptr;
    const FakeJobStore* jobs_ = nullptr;
    std::vector<Stored> stored_;
    std::int64_t next_ = 1;
};

}  // namespace plimsoll::fakes
