#pragma once

#include "engine/base/result.hpp"
#include "server/http/messages/request.hpp"

#include <string>
#include <vector>

#include <boost/asio/ip/network_v4.hpp>
#include <boost/asio/ip/network_v6.hpp>

namespace plimsoll::http {

// Proxies in front of the server that end TLS. What they say of the client is believed, because
// they put it there themselves; from anybody else it would be a claim.
class TrustedProxies {
  public:
    // "10.0.0.5, 10.1.0.0/16, ::1"; empty: nobody. Errc::invalid_input names the wrong entry.
    static Result<TrustedProxies> parse(const std::string& addresses);

    bool trusts(const std::string& address) const;
    // X-Forwarded-Proto says whether the client came over TLS, the last address of X-Forwarded-For
    // that is no proxy's who it is. For requests that came from a proxy; others stay as they are.
    void apply(Request& request) const;

  private:
    std::vector<boost::asio::ip::network_v4> v4_;
    std::vector<boost::asio::ip::network_v6> v6_;
};

}  // namespace plimsoll::http
