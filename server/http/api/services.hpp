#pragma once

#include "server/base/time.hpp"
#include "server/http/api/handler.hpp"
#include "server/jobs/kind.hpp"
#include "server/outbound/target.hpp"
#include "server/planning/planner.hpp"
#include "server/stores/stores.hpp"

#include <memory>
#include <span>

#include <boost/asio/thread_pool.hpp>

namespace plimsoll::http {

// Set once when the server begins to stop: readiness becomes 503, and long polls and event streams
// end within limits::kSignalWait. For the I/O thread.
class Draining {
  public:
    void begin() { begun_ = true; }
    bool begun() const { return begun_; }

    // Of work after a response; the server stays until none is held.
    std::shared_ptr<void> hold() {
        ++held_;
        return {nullptr, [this](void*) { --held_; }};
    }
    bool held() const { return held_ > 0; }

  private:
    bool begun_ = false;
    int held_ = 0;
};

class PasswordService;
class ProviderService;

// What handlers use; references must outlive them.
struct Services {
    Stores stores;
    std::span<const jobs::Contract> kinds;
    planning::Planner& planner;
    PasswordService& password_service;
    ProviderService& provider_service;
    const outbound::AllowList& webhook_targets;
    const Clock& clock;
    Draining& draining;
    // Processes large bodies and chunks off the I/O thread; its load is bounded by
    // limits::kBodies and limits::kParsedBodies.
    boost::asio::thread_pool& pool;
    // Computes estimates, pictures and answers of the kinds, which may take seconds, and makes
    // downloads: separate from `pool` and from each other, so that submits and downloads do not
    // wait behind them. Their threads give way to requests, and stay nice (BackgroundPriority).
    boost::asio::thread_pool& computing;
    boost::asio::thread_pool& downloads;
    jobs::KindSettings settings = {};
};

using AddOperations = void (*)(Handlers&, const Services&);

}  // namespace plimsoll::http
