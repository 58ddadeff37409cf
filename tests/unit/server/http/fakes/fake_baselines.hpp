#pragma once

#include "server/queue/baseline_store.hpp"

#include <algorithm>

namespace plimsoll::http::test {

// Baselines of one team in memory. For the I/O thread.
class FakeBaselines final : public queue::BaselineStore {
  public:
    Answer<std::vector<queue::Baseline>> list(TeamId) override {
        std::vector<queue::Baseline> all;
        for (const auto& one : pinned_) all.push_back(one.baseline);
        co_return all;
    }
    Answer<std::optional<Found>> find(TeamId, std::string kind,
                                      std::string comparison_key) override {
        for (const auto& one : pinned_) {
            if (one.baseline.kind == kind && one.baseline.comparison_key == comparison_key)
                co_return one;
        }
        co_return std::optional<Found>();
    }
    Answer<queue::Baseline> pin(Author, NewBaseline wanted) override {
        std::erase_if(pinned_, [&](const auto& one) {
            return one.baseline.kind == wanted.kind &&
                   one.baseline.comparison_key == wanted.comparison_key;
        });
        const queue::Baseline made{.id = {next_++},
                                   .kind = wanted.kind,
                                   .comparison_key = wanted.comparison_key,
                                   .job = wanted.job,
                                   .pinned_by = "ada",
                                   .pinned_at = {}};
        pinned_.push_back({made, wanted.summary});
        co_return made;
    }
    Answer<void> remove(Author, queue::BaselineId id) override {
        if (std::erase_if(pinned_, [&](const auto& one) { return one.baseline.id == id; }) == 0) {
            co_return fail(Errc::not_found, "There is no such baseline.");
        }
        co_return Result<void>{};
    }

  private:
    std::vector<Found> pinned_;
    std::int64_t next_ = 1;
};

}  // namespace plimsoll::http::test
