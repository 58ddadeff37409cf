#pragma once

#include "server/http/access/caller_limits.hpp"
#include "server/http/access/failure_limit.hpp"
#include "server/http/api/handler.hpp"
#include "server/http/contract/contract.hpp"
#include "server/http/contract/router.hpp"
#include "server/http/messages/application.hpp"
#include "server/http/messages/limits.hpp"
#include "server/identity/store.hpp"
#include "server/teams/idempotency_store.hpp"

#include <boost/asio/thread_pool.hpp>

namespace plimsoll::http {

// The API. Every request goes through route → credentials → parameters → body → handler; a refusal
// at any step becomes a problem response.
class Api final : public Application {
  public:
    // Throws std::runtime_error that names every operation without a handler and every handler
    // without an operation. `pool` parses large bodies off the I/O thread.
    Api(const Contract& contract, Handlers handlers, identity::IdentityStore& identity,
        teams::IdempotencyStore& idempotency, boost::asio::thread_pool& pool,
        CallerQuotas quotas = {});

    std::unique_ptr<Exchange> exchange() override;
    void memory_freed() override;
    void set(CallerQuotas quotas) { limits_.set(quotas); }
    // Whether a path belongs to the API, for any method.
    bool serves(std::string_view target) const;

  private:
    friend class ApiExchange;

    Handlers handlers_;
    Router router_;
    identity::IdentityStore& identity_;
    teams::IdempotencyStore& idempotency_;
    std::string cursor_key_;  // empty until a list with pages was requested
    boost::asio::thread_pool& pool_;
    // Of unknown credentials.
    FailureLimit failures_{limits::kFailedCredentials, limits::kFailureWindow,
                           "failed-credentials"};
    CallerLimits limits_;
    TieredBudget parsed_{limits::kParsedBodies};
};

}  // namespace plimsoll::http
