#pragma once

#include "engine/base/result.hpp"
#include "server/base/addresses.hpp"
#include "server/http/messages/request.hpp"

#include <string>

namespace plimsoll::http {

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
