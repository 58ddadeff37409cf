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

// Who a credential belongs to; every request asks. Errc::unauthenticated: nobody, or no longer. The
// pool is of the role plimsoll_app.
class PrincipalLookups final : public Lookups<Credential, identity::Principal> {
  public:
    using Lookups::Lookups;

  private:
    Batch question(const std::set<Credential>& credentials) const override;
    std::map<Credential, identity::Principal> read(const Replies& replies) const override;
    Error missing() const override;
};

}  // namespace plimsoll::postgres
