#pragma once

#include "server/base/awaitable.hpp"
#include "server/base/fair_budget.hpp"
#include "server/base/time.hpp"
#include "server/http/messages/limits.hpp"
#include "server/http/messages/problem.hpp"
#include "server/identity/provider_store.hpp"
#include "server/identity/store.hpp"
#include "server/oidc/provider.hpp"

#include <memory>
#include <string>

namespace plimsoll::http {

// Sign-ins with the identity provider. The caller of a refused sign-in gets no reason; the log has
// it. A few may be in progress at a time; beyond that number, or the share of a network, the
// response is 503. For the I/O thread.
class ProviderService {
  public:
    // `provider`: may be null: there is none.
    ProviderService(identity::ProviderStore& store, identity::IdentityStore& people,
                    const Clock& clock, std::unique_ptr<oidc::Provider> provider);

    // For people; empty: there is no provider.
    std::string name() const;

    struct Beginning {
        std::string url;
        std::string cookie;
    };
    // 404: there is no provider.
    awaitable<Outcome<Beginning>> begin(const Request& request);
    struct Ending {
        identity::NewSession session;
        std::string id_token;  // to sign out there; empty: signing out ends the session here only
    };
    // 401, or 403 for a user who may not sign in. A state works only once.
    awaitable<Outcome<Ending>> end(const Request& request, oidc::Return returned,
                                   std::string state);
    // Where the browser goes to sign out at the provider; empty: it did not come from there, or the
    // provider cannot do this.
    awaitable<Outcome<std::string>> sign_out(const Request& request);

  private:
    awaitable<Outcome<oidc::Attempt>> attempt_of(const Request& request, const std::string& state);
    awaitable<Outcome<identity::NewSession>> admit(const Request& request,
                                                   identity::ProvidedUser user);
    Outcome<FairBudget::Reservation> take_place(const Request& request);
    awaitable<Result<std::string>> key();

    identity::ProviderStore& store_;
    identity::IdentityStore& people_;
    const Clock& clock_;
    std::unique_ptr<oidc::Provider> provider_;
    FairBudget places_{limits::kProviderSignIns};
    std::string key_;  // empty until needed
};

}  // namespace plimsoll::http
