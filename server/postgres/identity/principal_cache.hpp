#pragma once

#include "server/identity/identity.hpp"
#include "server/identity/secret.hpp"
#include "server/postgres/pool/lookups.hpp"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>

namespace plimsoll::postgres {

struct Credential {
    identity::SecretKind kind;  // token or session
    std::string hash;
    auto operator<=>(const Credential&) const = default;
};

// Looks up the principals of credentials; used by every request. Errc::unauthenticated: unknown or
// no longer valid. The pool's role is plimsoll_app.
class PrincipalLookups final : public Lookups<Credential, identity::Principal> {
  public:
    using Lookups::Lookups;

  private:
    Batch question(const std::set<Credential>& credentials) const override;
    std::map<Credential, identity::Principal> read(const std::set<Credential>& credentials,
                                                   const Replies& replies) const override;
    Error missing() const override;
};

// Short-lived cache of credential look-ups, including unknown credentials, so that a busy one is
// not looked up for every request. Changes by this process clear it immediately; changes by other
// processes show after kLifetime.
class PrincipalCache {
  public:
    using Clock = std::chrono::steady_clock;
    using Found = Result<identity::Principal>;

    // Counted from the look-up. An event stream re-checks every second, so revocation ends it soon
    // after that.
    static constexpr std::chrono::milliseconds kLifetime{250};
    static constexpr std::size_t kMax = 4096;  // entries; further ones are not cached

    // A look-up in progress: its result is dated from here, and discarded if the cache was cleared
    // meanwhile.
    struct Question {
        Clock::time_point asked;
        std::uint64_t changes;
    };

    std::optional<Found> find(const Credential& credential, Clock::time_point now) const;
    Question ask(Clock::time_point now) const { return {now, changes_}; }
    void keep(const Credential& credential, const Found& found, Question question);
    // Clears the cache.
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
