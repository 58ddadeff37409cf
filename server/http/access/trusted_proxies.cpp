#include "server/http/access/trusted_proxies.hpp"

#include "server/http/access/is_address.hpp"
#include "server/http/messages/trim.hpp"

#include <algorithm>

#include <boost/asio/ip/address.hpp>

namespace plimsoll::http {

namespace ip = boost::asio::ip;
using boost::system::error_code;

namespace {

std::vector<std::string> listed(std::string_view text) {
    std::vector<std::string> parts;
    while (!text.empty()) {
        const auto end = std::min(text.find(','), text.size());
        if (const auto part = trim(text.substr(0, end)); !part.empty()) parts.emplace_back(part);
        text.remove_prefix(std::min(end + 1, text.size()));
    }
    return parts;
}

}  // namespace

Result<TrustedProxies> TrustedProxies::parse(const std::string& addresses) {
    TrustedProxies proxies;
    for (const auto& text : listed(addresses)) {
        const bool alone = text.find('/') == std::string::npos;
        error_code v4_error;
        const auto v4 = ip::make_network_v4(alone ? text + "/32" : text, v4_error);
        if (!v4_error) {
            proxies.v4_.push_back(v4);
            continue;
        }
        error_code v6_error;
        const auto v6 = ip::make_network_v6(alone ? text + "/128" : text, v6_error);
        if (v6_error) {
            return fail(Errc::invalid_input,
                        "must list addresses or networks such as 10.0.0.0/8, not " + text);
        }
        proxies.v6_.push_back(v6);
    }
    return proxies;
}

bool TrustedProxies::trusts(const std::string& text) const {
    if (v4_.empty() && v6_.empty()) return false;
    error_code error;
    auto address = ip::make_address(text, error);
    if (error) return false;
    // IPv4-mapped form of an IPv4 client on a socket that listens on ::.
    if (address.is_v6() && address.to_v6().is_v4_mapped()) {
        address = ip::make_address_v4(ip::v4_mapped, address.to_v6());
    }
    if (address.is_v4()) {
        return std::ranges::any_of(v4_, [&](const ip::network_v4& network) {
            return ip::network_v4(address.to_v4(), network.prefix_length()).canonical() ==
                   network.canonical();
        });
    }
    return std::ranges::any_of(v6_, [&](const ip::network_v6& network) {
        return ip::network_v6(address.to_v6(), network.prefix_length()).canonical() ==
               network.canonical();
    });
}

void TrustedProxies::apply(Request& request) const {
    if (!trusts(request.remote_address)) return;
    // With several fields or values, some would come from the client rather than the proxy.
    if (count_headers(request.headers, "X-Forwarded-Proto") == 1) {
        request.secure = same_token(trim(*request.header("X-Forwarded-Proto")), "https");
    }
    std::vector<std::string> hops;
    for (const auto& header : request.headers) {
        if (!same_token(header.name, "X-Forwarded-For")) continue;
        for (auto& hop : listed(header.value)) hops.push_back(std::move(hop));
    }
    while (!hops.empty() && is_address(hops.back())) {
        request.remote_address = hops.back();
        if (!trusts(hops.back())) return;
        hops.pop_back();
    }
}

}  // namespace plimsoll::http
