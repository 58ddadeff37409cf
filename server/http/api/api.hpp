#pragma once

#include "server/http/access/caller_limits.hpp"
#include "server/http/access/credential_guard.hpp"
#include "server/http/api/handler.hpp"
#include "server/http/contract/contract.hpp"
#include "server/http/contract/router.hpp"
#include "server/http/messages/application.hpp"
#include "server/identity/store.hpp"

#include <boost/asio/thread_pool.hpp>

namespace plimsoll::http {

// The API: every request goes route → credentials → parameters → body → handler, and whatever
// refuses it on the way is told as a problem.
class Api final : public Application {
  public:
    // Throws std::runtime_error that names every operation without a handler and every handler
    // without an operation. `pool` parses bodies that would hold up the I/O thread.
    Api(const Contract& contract, Handlers handlers, identity::IdentityStore& identity,
        boost::asio::thread_pool& pool, CallerQuotas quotas = {});

    std::unique_ptr<Exchange> exchange() override;
    // Whether a path belongs to the API, whatever the method.
    bool serves(std::string_view target) const;

  private:
    friend class ApiExchange;

    Handlers handlers_;
    Router router_;
    identity::IdentityStore& identity_;
    boost::asio::thread_pool& pool_;
    CredentialGuard guard_;
    CallerLimits limits_;
};

}  // namespace plimsoll::http
