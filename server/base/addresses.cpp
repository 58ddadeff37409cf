#include "server/base/addresses.hpp"

#include <algorithm>
#include <array>
#include <string>

#include <boost/url/parse.hpp>

namespace plimsoll {

namespace ip = boost::asio::ip;

namespace {

// IANA's registries of special-purpose addresses (RFC 6890 and its successors): everything that is
// not globally reachable, and multicast.
constexpr std::array kSpecialV4 = {
    "0.0.0.0/8",     "10.0.0.0/8",      "100.64.0.0/10",  "127.0.0.0/8",    "169.254.0.0/16",
    "172.16.0.0/12", "192.0.0.0/24",    "192.0.2.0/24",   "192.88.99.0/24", "192.168.0.0/16",
    "198.18.0.0/15", "198.51.100.0/24", "203.0.113.0/24", "224.0.0.0/4",    "240.0.0.0/4",
};
// Of IPv6, only global unicast addresses, except those that embed IPv4 addresses (Teredo, 6to4;
// NAT64 and mapped ones are outside of it) and those for documentation.
constexpr const char* kGlobalV6 = "2000::/3";
constexpr std::array kSpecialV6 = {"2001::/23", "2001:db8::/32", "2002::/16", "3fff::/20"};

bool contains(const ip::network_v4& network, const ip::address_v4& address) {
    return ip::network_v4(address, network.prefix_length()).canonical() == network.canonical();
}
bool contains(const ip::network_v6& network, const ip::address_v6& address) {
    return ip::network_v6(address, network.prefix_length()).canonical() == network.canonical();
}

std::string_view without_spaces(std::string_view text) {
    while (text.starts_with(' ')) text.remove_prefix(1);
    while (text.ends_with(' ')) text.remove_suffix(1);
    return text;
}

}  // namespace

Result<Networks> Networks::parse(std::string_view list) {
    Networks networks;
    while (!list.empty()) {
        const auto end = std::min(list.find(','), list.size());
        const std::string one(without_spaces(list.substr(0, end)));
        list.remove_prefix(std::min(end + 1, list.size()));
        if (one.empty()) continue;
        const bool alone = one.find('/') == std::string::npos;
        boost::system::error_code no_v4;
        const auto v4 = ip::make_network_v4(alone ? one + "/32" : one, no_v4);
        if (!no_v4) {
            networks.v4_.push_back(v4);
            continue;
        }
        boost::system::error_code no_v6;
        const auto v6 = ip::make_network_v6(alone ? one + "/128" : one, no_v6);
        if (no_v6) {
            return fail(Errc::invalid_input,
                        "must list networks or addresses like 10.1.2.0/24, not " + one);
        }
        networks.v6_.push_back(v6);
    }
    return networks;
}

bool Networks::contain(const ip::address& given) const {
    const auto address = unmapped(given);
    if (address.is_v4()) {
        return std::ranges::any_of(
            v4_, [&](const ip::network_v4& network) { return contains(network, address.to_v4()); });
    }
    return std::ranges::any_of(
        v6_, [&](const ip::network_v6& network) { return contains(network, address.to_v6()); });
}

ip::address unmapped(const ip::address& address) {
    if (address.is_v6() && address.to_v6().is_v4_mapped())
        return ip::make_address_v4(ip::v4_mapped, address.to_v6());
    return address;
}

bool is_public(const ip::address& given) {
    const auto address = unmapped(given);
    if (address.is_v4()) {
        return std::ranges::none_of(kSpecialV4, [&](const char* network) {
            return contains(ip::make_network_v4(network), address.to_v4());
        });
    }
    return contains(ip::make_network_v6(kGlobalV6), address.to_v6()) &&
           std::ranges::none_of(kSpecialV6, [&](const char* network) {
               return contains(ip::make_network_v6(network), address.to_v6());
           });
}

std::optional<boost::urls::url> parse_url(std::string_view text) {
    // Boost.URL 1.81 checks "h: \x1d" and "h:[" by an assertion only, which a release does without.
    const auto printed = [](char c) { return c > ' ' && c < '\x7f'; };
    if (!std::ranges::all_of(text, printed)) return std::nullopt;
    const auto colon = std::min(text.find(':'), text.size());
    if (!text.substr(colon).starts_with("://")) return std::nullopt;
    const auto begin = colon + 3;
    const auto authority = text.substr(begin, text.find_first_of("/?#", begin) - begin);
    const auto host = authority.substr(authority.rfind('@') + 1);
    // "a%0a.example" would name a host with a line's end in it.
    if (host.find('%') != host.npos) return std::nullopt;
    const auto name = host.substr(0, host.find(':'));
    boost::system::error_code no_address;
    ip::make_address_v4(std::string(name), no_address);
    // It reads 127.0.0.1.example.com as an address and stops there; x127.0.0.1.example.com whole.
    const bool is_misread = no_address && !name.empty() && name[0] >= '0' && name[0] <= '9';
    std::string read(text);
    if (is_misread) read.insert(begin + authority.size() - host.size(), 1, 'x');
    const auto url = boost::urls::parse_uri(read);
    if (!url || !url->has_authority()) return std::nullopt;
    boost::urls::url parsed(*url);
    if (is_misread) parsed.set_host_name({name.data(), name.size()});
    if (std::string_view(parsed.encoded_authority()) != authority) return std::nullopt;
    return parsed;
}

}  // namespace plimsoll
