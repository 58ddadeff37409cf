#pragma once

#include "server/teams/team_record_store.hpp"
#include "tests/fakes/stale.hpp"

#include <algorithm>
#include <map>
#include <string>

#include <nlohmann/json.hpp>

namespace plimsoll::fakes {

// Teams' records for job kinds, in memory. A record stored without an ID turns its collection into
// a numbered one. For one thread.
class FakeTeamRecords final : public teams::TeamRecordStore {
  public:
    template <class T>
    using Answer = queue::awaitable<Result<T>>;

    Answer<std::vector<jobs::TeamRecord>> list(jobs::Collection collection, TeamId team,
                                               std::optional<JobId> job, int limit) override {
        std::vector<jobs::TeamRecord> found;
        for (const auto& one : records_[{team, std::string(collection.name)}]) {
            if (static_cast<int>(found.size()) == limit) break;
            if (!job || one.job == job) found.push_back(one);
        }
        co_return found;
    }
    Answer<jobs::TeamRecord> put(jobs::Collection collection, Author author,
                                 jobs::TeamRecord record) override {
        auto& records = records_[{author.team, std::string(collection.name)}];
        const auto most = static_cast<std::size_t>(collection.most);
        record.created_at = SystemClock().now();
        if (record.id.empty()) {  // newest first; the oldest are deleted
            record.id = std::to_string(next_++);
            record.key = nlohmann::json::parse(record.data).value("comparison_key", "");
            records.insert(records.begin(), record);
            if (records.size() > most) records.resize(most);
            co_return record;
        }
        record.key = record.id;  // in their order
        const auto place = std::ranges::lower_bound(records, record.id, {}, &jobs::TeamRecord::id);
        const bool is_there = place != records.end() && place->id == record.id;
        if (stale(author, is_there ? nlohmann::json::parse(place->data) : nlohmann::json())) {
            co_return fail(changed_meanwhile());
        }
        if (is_there) {
            *place = record;
        } else if (records.size() >= most) {
            co_return fail(Errc::conflict, "Too many.");
        } else {
            records.insert(place, record);
        }
        co_return record;
    }
    Answer<void> remove(jobs::Collection collection, Author author, std::string id) override {
        auto& records = records_[{author.team, std::string(collection.name)}];
        if (std::erase_if(records, [&](const auto& one) { return one.id == id; }) == 0) {
            co_return fail(Errc::not_found, "The record was not found.");
        }
        co_return Result<void>{};
    }

  private:
    std::map<std::pair<TeamId, std::string>, std::vector<jobs::TeamRecord>> records_;
    std::int64_t next_ = 1;
};

}  // namespace plimsoll::fakes
