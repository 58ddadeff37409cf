#pragma once

#include "server/queue/team_record_store.hpp"

#include <map>
#include <string>

namespace plimsoll::http::test {

// Records of one team in memory, newest first. For the I/O thread.
class FakeTeamRecords final : public queue::TeamRecordStore {
  public:
    template <class T>
    using Answer = queue::awaitable<Result<T>>;

    Answer<std::vector<jobs::TeamRecord>> list(jobs::Collection collection, TeamId,
                                               std::optional<JobId> job, int limit) override {
        std::vector<jobs::TeamRecord> found;
        for (const auto& one : records_[std::string(collection.name)]) {
            if (static_cast<int>(found.size()) == limit) break;
            if (!job || one.job == job) found.push_back(one);
        }
        co_return found;
    }
    Answer<jobs::TeamRecord> put(jobs::Collection collection, Author,
                                 jobs::TeamRecord record) override {
        auto& records = records_[std::string(collection.name)];
        if (record.id.empty()) record.id = std::to_string(next_++);
        std::erase_if(records, [&](const auto& one) { return one.id == record.id; });
        records.insert(records.begin(), record);
        co_return record;
    }
    Answer<void> remove(jobs::Collection collection, Author, std::string id) override {
        auto& records = records_[std::string(collection.name)];
        if (std::erase_if(records, [&](const auto& one) { return one.id == id; }) == 0) {
            co_return fail(Errc::not_found, "There is no such record.");
        }
        co_return Result<void>{};
    }

  private:
    std::map<std::string, std::vector<jobs::TeamRecord>> records_;  // by collection
    std::int64_t next_ = 1;
};

}  // namespace plimsoll::http::test
