#pragma once

#include "engine/base/result.hpp"
#include "server/outbound/caller.hpp"

#include <string>

#include <boost/asio/awaitable.hpp>

namespace plimsoll::oidc {

// Requests to a provider: to allowed origins and addresses only, without redirects, bounded in time
// and size. Single-threaded.
class Calls {
  public:
    static constexpr std::size_t kMostBytes = 256 * 1024;

    explicit Calls(outbound::Caller caller) : caller_(std::move(caller)) {}

    struct Reply {
        int status = 0;
        std::string body;
    };

    // `authorization`: the field's value; may be empty. Errc::unavailable names the
    // origin and the reason, but nothing that was sent.
    boost::asio::awaitable<Result<Reply>> get(std::string url, std::string authorization) const;
    boost::asio::awaitable<Result<Reply>> post(std::string url, std::string authorization,
                                               std::string form) const;

  private:
    struct Message {
        std::string url;
        std::string authorization;
        std::string form;
        bool posts = false;
    };
    boost::asio::awaitable<Result<Reply>> send(Message message) const;

    outbound::Caller caller_;
};

}  // namespace plimsoll::oidc
