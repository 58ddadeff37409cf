#pragma once

#include "server/webhooks/target.hpp"
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

// Makes one attempt: a signed POST, taken by any answer of 2xx. The name is resolved once, every
// address is checked, and the connection goes to a checked one; redirects are not followed, no
// proxy of the environment is used, certificates are verified, and of the answer only the status
// is read. For the executor's one thread.
class Sender {
  public:
    // From the resolved name to the answer's head. (A resolver that hangs takes its own time.)
    static constexpr std::chrono::seconds kTime{10};

    // `authorities`: a PEM file of certificate authorities to trust beside the system's; may be
    // empty. Errc::invalid_input names it when it cannot be used.
    static Result<Sender> make(boost::asio::any_io_executor executor, AllowList allowed,
                               const std::string& authorities);
    Sender(Sender&&) noexcept;
    ~Sender();

    const AllowList& allowed() const { return allowed_; }
    // `now` is what the signature says.
    boost::asio::awaitable<Attempted> send(const Outgoing& notice, Timestamp now);

  private:
    Sender(boost::asio::any_io_executor executor, AllowList allowed,
           std::unique_ptr<boost::asio::ssl::context> tls);

    boost::asio::any_io_executor executor_;
    AllowList allowed_;
    std::unique_ptr<boost::asio::ssl::context> tls_;
};

}  // namespace plimsoll::webhooks
