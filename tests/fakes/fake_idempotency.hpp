#pragma once

#include "server/teams/idempotency_store.hpp"

#include <map>

namespace plimsoll::fakes {

// Kept answers in memory; they do not expire.
class FakeIdempotency final : public teams::IdempotencyStore {
  public:
    Answer<std::optional<teams::StoredResponse>> reserve(TeamId team, std::string key,
                                                         std::string fingerprint) override {
        const auto [entry, is_new] = kept_.try_emplace({team, key}, Entry{fingerprint, {}});
        if (is_new) co_return std::nullopt;
        if (entry->second.fingerprint != fingerprint) co_return fail(Errc::conflict, "Another.");
        if (!entry->second.answer) co_return fail(Errc::cancelled, "Not yet.");
        co_return entry->second.answer;
    }
    Answer<void> keep(TeamId team, std::string key, teams::StoredResponse answer) override {
        kept_.at({team, key}).answer = std::move(answer);
        co_return Result<void>{};
    }
    Answer<void> release(TeamId team, std::string key) override {
        kept_.erase({team, key});
        co_return Result<void>{};
    }

    // As if every server had stopped in the middle of a call.
    void forget_answers() {
        for (auto& [key, entry] : kept_) entry.answer.reset();
    }

  private:
    struct Entry {
        std::string fingerprint;
        std::optional<teams::StoredResponse> answer;
    };
    std::map<std::pair<TeamId, std::string>, Entry> kept_;
};

}  // namespace plimsoll::fakes
