#include "server/http/access/network.hpp"

#include "server/http/messages/request.hpp"

#include <algorithm>

#include <boost/asio/ip/address.hpp>
#include <boost/asio/ip/network_v6.hpp>

namespace plimsoll::http {

namespace ip = boost::asio::ip;

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

std::string network_of(const std::string& address) {
    if (address.find(':') == std::string::npos) return address;
    boost::system::error_code error;
    auto v6 = ip::make_address_v6(address, error);
    if (error) return address;
    if (v6.is_v4_mapped()) return ip::make_address_v4(ip::v4_mapped, v6).to_string();
    v6.scope_id(0);
    return ip::network_v6(v6, 64).canonical().to_string();
}

Result<TrustedProxies> TrustedProxies::parse(const std::string& addresses) {
    TRY(auto networks, Networks::parse(addresses));
    TrustedProxies proxies;
    proxies.networks_ = std::move(networks);
    return proxies;
}

bool TrustedProxies::trusts(const std::string& text) const {
    if (networks_.empty()) return false;
    boost::system::error_code error;
    const auto address = boost::asio::ip::make_address(text, error);
    return !error && networks_.contain(address);
}

void TrustedProxies::apply(Request& request) const {
    if (!trusts(request.remote_address)) return;
    // With several fields or values, some would come from the client rather than the proxy.
    if (count_headers(request.headers, "X-Forwarded-Proto") == 1)
        request.secure = same_token(trim(*request.header("X-Forwarded-Proto")), "https");
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
