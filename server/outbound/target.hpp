#pragma once

#include "engine/base/result.hpp"
#include "server/base/addresses.hpp"

#include <string>
#include <vector>

#include <boost/asio/ip/address.hpp>

namespace plimsoll::outbound {

// The parsed URL of a request.
struct Target {
    bool tls = true;
    std::string host;  // lower case, an IPv6 address without brackets
    unsigned short port = 443;
    std::string path;  // with the query; at least "/"

    std::string authority() const;  // for the Host field
    std::string origin() const;     // "https://host:port", without the port if it is the usual one
};

// http:// and https:// without a user, a password or a fragment; Errc::invalid_input otherwise.
Result<Target> parse_target(const std::string& url);

// Allowed targets. Both must hold: the origin is on the operator's list, and every
// address that its name resolves to is public or in a listed network.
class AllowList {
  public:
    // `origins`: "https://hooks.example.com, https://*.example.org, http://127.0.0.1:9000"; "*." is
    // any name below. `networks`: "10.1.2.0/24, fd00::/8". Separated by commas; spaces are ignored.
    static Result<AllowList> parse(const std::string& origins, const std::string& networks);

    bool empty() const { return origins_.empty(); }
    bool allows(const Target& target) const;
    bool allows(const boost::asio::ip::address& address) const;

  private:
    struct Origin {
        bool tls = true;
        bool below = false;  // any name that ends in "." and `host`
        std::string host;
        unsigned short port = 443;
    };
    std::vector<Origin> origins_;
    Networks networks_;
};

}  // namespace plimsoll::outbound
