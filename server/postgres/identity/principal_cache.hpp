#pragma once

#include "server/postgres/identity/principal_lookups.hpp"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>

namespace plimsoll::postgres {

// Whom credentials belonged to a moment ago, so that a busy one is not looked up for every request;
// also that one belongs to nobody. What this process changes is forgotten at once; what another one
// changes shows when the lifetime is over.
class PrincipalCache {
  public:
    using Clock = std::chrono::steady_clock;
    using Found = Result<identity::Principal>;

    // From when it was asked. An event stream looks again every second: with this, revocation ends
    // it soon after that.
    static constexpr std::chrono::milliseconds kLifetime{250};
    static constexpr std::size_t kMost = 4096;  // entries; more are not remembered

    // A question that is put now: its answer counts from here, and for nothing when something has
    // changed in between.
    struct Question {
        Clock::time_point asked;
        std::uint64_t changes;
    };

    std::optional<Found> find(const Credential& credential, Clock::time_point now) const;
    Question ask(Clock::time_point now) const { return {now, changes_}; }
    void keep(const Credential& credential, const Found& found, Question question);
    // Something has changed.
    void forget();

  private:
    struct Entry {
        Found found;
        Clock::time_point until;
    };

    std::map<Credential, Entry> entries_;
    std::uint64_t changes_ = 0;
    Clock::time_point tidied_at_;
};

}  // namespace plimsoll::postgres
