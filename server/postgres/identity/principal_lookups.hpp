#pragma once

#include "server/identity/identity.hpp"
#include "server/identity/secret.hpp"
#include "server/postgres/pool/lookups.hpp"

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
    std::map<Credential, identity::Principal> read(const Replies& replies) const override;
    Error missing() const override;
};

}  // namespace plimsoll::postgres
