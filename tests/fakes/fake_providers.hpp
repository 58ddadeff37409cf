#pragma once

#include "server/identity/provider_store.hpp"
#include "tests/fakes/fake_identity.hpp"

#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace plimsoll::fakes {

// Users of an identity provider in memory, among the people in a FakeIdentity. It keeps no audit
// rows, and used states for ever.
class FakeProviders final : public identity::ProviderStore {
  public:
    explicit FakeProviders(FakeIdentity& identity) : identity_(identity) {}

    Answer<bool> spend_state(std::string hash, Timestamp expires_at) override;
    Answer<identity::ProvidedSignIn> sign_in(identity::ProvidedUser user,
                                             std::string request_id) override;
    Answer<std::vector<identity::ProvidedIdentity>> identities(UserId user) override;
    Answer<void> unlink(Author author, UserId user, identity::IdentityId identity) override;

  private:
    struct Known {
        UserId user;
        identity::IdentityId id;
        Timestamp created_at;
        Timestamp last_used_at;
    };
    Answer<UserId> found_or_made(const identity::ProvidedUser& user);
    // Whether the user, if any, would be in a team.
    Answer<bool> has_place(std::optional<UserId> id, const identity::ProvidedUser& user);
    std::optional<UserId> known(const identity::ProvidedUser& user) const;

    FakeIdentity& identity_;
    std::set<std::string> spent_;
    std::map<std::pair<std::string, std::string>, Known> subjects_;
    std::int64_t next_ = 1;
};

}  // namespace plimsoll::fakes
