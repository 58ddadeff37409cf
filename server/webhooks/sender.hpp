#pragma once

#include "server/outbound/target.hpp"
#include "server/webhooks/webhook.hpp"

#include <chrono>
#include <memory>
#include <string>

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/awaitable.hpp>

namespace boost::asio::ssl {
class context;
}

namespace plimsoll::webhooks {

// Makes one delivery attempt: a signed POST, accepted by any 2xx response. The host name is
// resolved once, every address is checked, and the connection goes to a checked address. Redirects
// are not followed, environment proxies are ignored, certificates are verified, and only the
// response status is read. Single-threaded, on the executor.
class Sender {
  public:
    // Limit from the resolved name to the response head. (Name resolution has its own limit.)
    static constexpr std::chrono::seconds kTime{10};

    // `authorities`: a PEM file of certificate authorities to trust besides the system's; may be
    // empty. Errc::invalid_input names the file if it cannot be used.
    static Result<Sender> make(boost::asio::any_io_executor executor, outbound::AllowList allowed,
                               const std::string& authorities);
    Sender(Sender&&) noexcept;
    ~Sender();

    const outbound::AllowList& allowed() const { return allowed_; }
    // `now` is the timestamp that is signed.
    boost::asio::awaitable<Attempted> send(const Outgoing& notice, Timestamp now);

  private:
    Sender(boost::asio::any_io_executor executor, outbound::AllowList allowed,
           std::unique_ptr<boost::asio::ssl::context> tls);

    boost::asio::any_io_executor executor_;
    outbound::AllowList allowed_;
    std::unique_ptr<boost::asio::ssl::context> tls_;
};

}  // namespace plimsoll::webhooks
