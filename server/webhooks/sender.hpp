#pragma once

#include "server/outbound/caller.hpp"
#include "server/webhooks/webhook.hpp"

#include <string>

#include <boost/asio/awaitable.hpp>

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
    boost::asio::awaitable<Attempted> send(const Outgoing& notice, Timestamp now);

  private:
    explicit Sender(outbound::Caller caller) : caller_(std::move(caller)) {}

    outbound::Caller caller_;
};

}  // namespace plimsoll::webhooks
