#include "server/outbound/target.hpp"

#include "server/base/addresses.hpp"
#include "server/base/parse_url.hpp"

#include <algorithm>
#include <array>
#include <cctype>

#include <boost/url.hpp>

namespace plimsoll::outbound {

namespace ip = boost::asio::ip;
using boost::system::error_code;

namespace {

std::string lower(std::string text) {
    std::ranges::transform(text, text.begin(), [](unsigned char c) { return std::tolower(c); });
    return text;
}

std::vector<std::string> listed(const std::string& text) {
    std::vector<std::string> parts(1);
    for (const char c : text) {
        if (c == ',') {
            parts.emplace_back();
        } else if (c != ' ') {
            parts.back() += c;
        }
    }
    std::erase(parts, std::string());
    return parts;
}

tl::unexpected<Error> not_a_target(std::string why) {
    return fail(Errc::invalid_input, std::move(why));
}

}  // namespace

std::string Target::authority() const {
    const auto name = host.find(':') == std::string::npos ? host : "[" + host + "]";
    const unsigned short usual = tls ? 443 : 80;
    return port == usual ? name : name + ":" + std::to_string(port);
}

Result<Target> parse_target(const std::string& url) {
    const auto parsed = parse_url(url);
    if (!parsed) return not_a_target("The address is not a URL.");
    Target target;
    if (parsed->scheme() == "https") {
        target.tls = true;
    } else if (parsed->scheme() == "http") {
        target.tls = false;
    } else {
        return not_a_target("The URL must begin with https:// or http://.");
    }
    if (parsed->has_userinfo() || parsed->has_fragment()) {
        return not_a_target("The URL must not contain a user, password or fragment.");
    }
    target.host = lower(parsed->host_address());
    if (target.host.empty()) return not_a_target("The URL has no host.");
    target.port = target.tls ? 443 : 80;
    if (parsed->has_port() && !parsed->port().empty()) {
        if (parsed->port_number() == 0) return not_a_target("The port must be from 1 to 65535.");
        target.port = parsed->port_number();
    }
    target.path = std::string(parsed->encoded_path());
    if (target.path.empty()) target.path = "/";
    if (parsed->has_query()) target.path += "?" + std::string(parsed->encoded_query());
    return target;
}

Result<AllowList> AllowList::parse(const std::string& origins, const std::string& networks) {
    AllowList list;
    for (const auto& text : listed(origins)) {
        // The star is no character of a host name: the rest is read without it.
        const auto star = text.find("//*.");
        auto plain = text;
        if (star != std::string::npos) plain.erase(star + 2, 2);
        const auto target = parse_target(plain);
        if (!target || target->path != "/" || plain.ends_with('/') ||
            target->host.find('*') != std::string::npos) {
            return fail(Errc::invalid_input,
                        "must list origins like https://hooks.example.com, not " + text);
        }
        list.origins_.push_back(
            {target->tls, star != std::string::npos, target->host, target->port});
    }
    for (const auto& text : listed(networks)) {
        error_code v4_error;
        const auto v4 = ip::make_network_v4(text, v4_error);
        if (!v4_error) {
            list.networks_v4_.push_back(v4);
            continue;
        }
        error_code v6_error;
        const auto v6 = ip::make_network_v6(text, v6_error);
        if (v6_error) {
            return fail(Errc::invalid_input, "must list networks like 10.1.2.0/24, not " + text);
        }
        list.networks_v6_.push_back(v6);
    }
    return list;
}

bool AllowList::allows(const Target& target) const {
    return std::ranges::any_of(origins_, [&](const Origin& origin) {
        const bool host =
            origin.below ? target.host.ends_with("." + origin.host) : target.host == origin.host;
        return host && origin.tls == target.tls && origin.port == target.port;
    });
}

bool AllowList::allows(const ip::address& given) const {
    if (is_public(given)) return true;
    const auto address = unmapped(given);
    if (address.is_v4()) {
        return std::ranges::any_of(networks_v4_, [&](const ip::network_v4& network) {
            return contains(network, address.to_v4());
        });
    }
    return std::ranges::any_of(networks_v6_, [&](const ip::network_v6& network) {
        return contains(network, address.to_v6());
    });
}

}  // namespace plimsoll::outbound
