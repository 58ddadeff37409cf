#pragma once

#include "engine/base/result.hpp"
#include "server/base/addresses.hpp"
#include "server/http/messages/request.hpp"

#include <string>

#include <boost/asio/ip/address.hpp>

namespace plimsoll::http {

// A client's network, as limits count it: an IPv4 address, or the /64 of an IPv6 address, the
// smallest network that a provider's customer has. `address`: numeric; anything else is returned
// unchanged.
std::string network_of(const std::string& address);

// Whether it is an IPv4 or IPv6 address, without brackets and port.
inline bool is_address(const std::string& text) {
    boost::system::error_code error;
    boost::asio::ip::make_address(text, error);
    return !error;
}

// Proxies in front of the server that terminate TLS. X-Forwarded-* headers are trusted only from
// these addresses.
class TrustedProxies {
  public:
    // "10.0.0.5, 10.1.0.0/16, ::1"; empty: none. Errc::invalid_input names the invalid entry.
    static Result<TrustedProxies> parse(const std::string& addresses);

    bool trusts(const std::string& address) const;
    // For a request from a trusted proxy, takes TLS from X-Forwarded-Proto and the client from the
    // last address in X-Forwarded-For that is not a trusted proxy. Leaves other requests unchanged.
    void apply(Request& request) const;

  private:
    Networks networks_;
};

}  // namespace plimsoll::http
