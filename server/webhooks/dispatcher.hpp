#pragma once

#include "server/base/awaitable.hpp"
#include "server/outbound/caller.hpp"
#include "server/webhooks/store.hpp"
#include "server/webhooks/webhook.hpp"

#include <functional>
#include <memory>
#include <string>

namespace plimsoll::webhooks {

// Makes one delivery attempt: a signed POST, accepted by any 2xx response. The host name is
// resolved once, every address is checked, and the connection goes to a checked address. Redirects
// are not followed, environment proxies are ignored, certificates are verified, and only the
// response status is read. Single-threaded.
class Sender {
  public:
    // `authorities`: a PEM file of certificate authorities to trust besides the system's; may be
    // empty. Errc::invalid_input names the file if it cannot be used.
    static Result<Sender> make(outbound::AllowList allowed, const std::string& authorities);

    const outbound::AllowList& allowed() const { return caller_.allowed(); }
    // `now` is the timestamp that is signed.
    awaitable<Attempted> send(const Outgoing& notice, Timestamp now);

  private:
    explicit Sender(outbound::Caller caller) : caller_(std::move(caller)) {}

    outbound::Caller caller_;
};

// The duty of `serve` that sends due notices, several at a time. Any number of servers may run it:
// each attempt is leased to one of them and handed out again if that server does not report a
// result. A notice may therefore arrive twice but is never lost. Single-threaded, on the executor.
class Dispatcher {
  public:
    using Random = std::function<double()>;  // in [0, 1)

    // `queue` and `clock` must outlive it.
    Dispatcher(boost::asio::any_io_executor executor, DeliveryQueue& queue, Sender sender,
               const Clock& clock, Random random);
    ~Dispatcher();

    void start();
    // Abandons attempts in progress.
    void stop();

  private:
    struct State;
    std::shared_ptr<State> state_;
};

}  // namespace plimsoll::webhooks
