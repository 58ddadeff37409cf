#pragma once

#include "server/base/awaitable.hpp"
#include "server/outbound/caller.hpp"
#include "server/webhooks/mail.hpp"
#include "server/webhooks/store.hpp"
#include "server/webhooks/webhook.hpp"

#include <functional>
#include <memory>
#include <string>

namespace plimsoll::webhooks {

// What a server's operator has set for notices.
struct Outlets {
    outbound::AllowList allowed;
    // A PEM file of certificate authorities to trust besides the system's; may be empty.
    std::string authorities;
    std::string pages;  // the address of the pages, for links; may be empty
    MailServer mail;
};

// Makes one delivery attempt: mail, or a signed POST, accepted by any 2xx response. The host name
// is resolved once, every address is checked, and the connection goes to a checked address.
// Redirects are not followed, environment proxies are ignored, certificates are verified, and only
// the response status is read. Single-threaded.
class Sender {
  public:
    // Errc::invalid_input names the file of authorities if it cannot be used.
    static Result<Sender> make(Outlets outlets);
    Sender(Sender&&) noexcept;
    ~Sender();

    // `now` is the timestamp that is signed.
    awaitable<Attempted> send(const Outgoing& notice, Timestamp now);

  private:
    Sender(Outlets outlets, outbound::Caller caller,
           std::unique_ptr<boost::asio::ssl::context> tls);

    Outlets outlets_;
    outbound::Caller caller_;
    std::unique_ptr<boost::asio::ssl::context> tls_;  // for mail
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
