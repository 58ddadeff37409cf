#include "server/outbound/target.hpp"

#include "server/base/addresses.hpp"

#include <algorithm>
#include <cctype>

#include <boost/url.hpp>

namespace plimsoll::outbound {

namespace {

std::string lower(std::string text) {
    std::ranges::transform(text, text.begin(), [](unsigned char c) { return std::tolower(c); });
    return text;
}

std::vector<std::string> listed(const std::string& text) {
    std::vector<std::string> parts(1);
    for (const char c : text)
        if (c == ',')
            parts.emplace_back();
        else if (c != ' ')
            parts.back() += c;
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

std::string Target::origin() const { return (tls ? "https://" : "http://") + authority(); }

Result<Target> parse_target(const std::string& url) {
    const auto parsed = parse_url(url);
    if (!parsed) return not_a_target("The address is not a URL.");
    Target target;
    if (parsed->scheme() == "https")
        target.tls = true;
    else if (parsed->scheme() == "http")
        target.tls = false;
    else
        return not_a_target("The URL must begin with https:// or http://.");
    if (parsed->has_userinfo() || parsed->has_fragment())
        return not_a_target("The URL must not contain a user, password or fragment.");
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

Result<std::string> parse_mail_target(std::string_view url) {
    constexpr std::size_t kMaxAddress = 254;
    constexpr std::string_view kDomain = "abcdefghijklmnopqrstuvwxyz0123456789-.";
    auto address = lower(std::string(url.substr(std::min(kMailto.size(), url.size()))));
    const auto at = address.find('@');
    const bool is_sound = url.starts_with(kMailto) && at != std::string::npos && at > 0 &&
                          at + 1 < address.size() && address.size() <= kMaxAddress &&
                          address.find_first_not_of(std::string(kDomain) + "_+%") == at &&
                          address.find_first_not_of(kDomain, at + 1) == std::string::npos;
    if (!is_sound) return not_a_target("The URL must be mailto: with one email address.");
    return address;
}

Result<AllowList> AllowList::parse(const std::string& origins, const std::string& networks) {
    AllowList list;
    for (const auto& text : listed(origins)) {
        if (text.starts_with(kMailto)) {
            const bool is_any = text.starts_with("mailto:*@");
            auto address = parse_mail_target(is_any ? "mailto:any" + text.substr(8) : text);
            if (!address)
                return fail(Errc::invalid_input,
                            "must list mail like mailto:*@example.com, not " + text);
            list.mail_.push_back(is_any ? address->substr(3) : std::move(*address));
            continue;
        }
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
    TRY(list.networks_, Networks::parse(networks));
    return list;
}

bool AllowList::allows(const Target& target) const {
    return std::ranges::any_of(origins_, [&](const Origin& origin) {
        const bool host =
            origin.below ? target.host.ends_with("." + origin.host) : target.host == origin.host;
        return host && origin.tls == target.tls && origin.port == target.port;
    });
}

bool AllowList::allows_mail(const std::string& address) const {
    return std::ranges::any_of(mail_, [&](const std::string& one) {
        return one.starts_with('@') ? address.ends_with(one) : address == one;
    });
}

bool AllowList::allows(const boost::asio::ip::address& address) const {
    return is_public(address) || networks_.contain(address);
}

}  // namespace plimsoll::outbound
