#pragma once

#include "engine/base/result.hpp"
#include "server/base/addresses.hpp"

#include <string>
#include <string_view>
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

inline constexpr std::string_view kMailto = "mailto:";
// The one address of a mailto: URL, in lower case; Errc::invalid_input otherwise.
Result<std::string> parse_mail_target(std::string_view url);

// Allowed targets. Both must hold: the origin is on the operator's list, and every
// address that its name resolves to is public or in a listed network.
class AllowList {
  public:
    // `origins`: "https://hooks.example.com, https://*.example.org, http://127.0.0.1:9000"; "*." is
    // any name below. Also "mailto:desk@example.com, mailto:*@example.com", any address there.
    // `networks`: "10.1.2.0/24, fd00::/8". Separated by commas; spaces are ignored.
    static Result<AllowList> parse(const std::string& origins, const std::string& networks);

    bool empty() const { return origins_.empty() && mail_.empty(); }
    bool allows(const Target& target) const;
    bool allows_mail(const std::string& address) const;
    bool allows(const boost::asio::ip::address& address) const;

  private:
    struct Origin {
        bool tls = true;
        bool below = false;  // any name that ends in "." and `host`
        std::string host;
        unsigned short port = 443;
    };
    std::vector<Origin> origins_;
    std::vector<std::string> mail_;  // addresses; "@example.com": all there
    Networks networks_;
};

}  // namespace plimsoll::outbound
