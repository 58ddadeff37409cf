#pragma once

#include "engine/base/result.hpp"
#include "server/base/awaitable.hpp"
#include "server/outbound/caller.hpp"

#include <string>
#include <string_view>

namespace plimsoll::oidc {

// Requests to a provider: to allowed origins and addresses only, without redirects, bounded in time
// and size. Single-threaded.
class Calls {
  public:
    static constexpr std::size_t kMaxBytes = 256 * 1024;

    explicit Calls(outbound::Caller caller) : caller_(std::move(caller)) {}

    struct Reply {
        int status = 0;
        std::string body;
    };

    // `authorization`: the field's value; may be empty. Errc::unavailable names the
    // origin and the reason, but nothing that was sent.
    awaitable<Result<Reply>> get(std::string url, std::string authorization) const;
    awaitable<Result<Reply>> post(std::string url, std::string authorization,
                                  std::string form) const;

  private:
    struct Message {
        std::string url;
        std::string authorization;
        std::string form;
        bool posts = false;
    };
    awaitable<Result<Reply>> send(Message message) const;

    outbound::Caller caller_;
};

// A provider's metadata (OpenID Connect Discovery 1.0, 3). Addresses are https, or http where the
// issuer's is.
struct Discovered {
    std::string authorization_endpoint;
    std::string token_endpoint;
    std::string jwks_uri;
    std::string userinfo_endpoint;     // may be empty
    std::string end_session_endpoint;  // may be empty
    bool basic = true;                 // the client's secret goes into the Authorization field
    bool names_itself = false;         // in its responses (RFC 9207)
};

// Where the document of an issuer is.
std::string discovery_url(std::string_view issuer);

// Errc::corrupt says what is wrong, or what the provider cannot do.
Result<Discovered> parse_discovery(std::string_view text, const std::string& issuer);

}  // namespace plimsoll::oidc
