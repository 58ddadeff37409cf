#include "server/http/access/allowed_hosts.hpp"

#include "server/http/access/network.hpp"

#include <algorithm>

#include <boost/asio/ip/address.hpp>

namespace plimsoll::http {
namespace {

std::string lower(std::string_view text) {
    std::string out(text);
    std::ranges::transform(out, out.begin(), [](char c) {
        return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c;
    });
    return out;
}

bool is_name(std::string_view text) {
    return !text.empty() && text.size() <= 253 && text.front() != '.' && text.back() != '.' &&
           std::ranges::all_of(text, [](char c) {
               return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-' || c == '_' ||
                      c == '.';
           });
}

// Without the port, the brackets of an IPv6 address, and the dot that ends a full name.
std::string name_of(std::string_view host) {
    if (host.starts_with('[')) return std::string(host.substr(1, host.find(']') - 1));
    auto name = lower(host.substr(0, host.find(':')));
    if (name.ends_with('.')) name.pop_back();
    return name;
}

}  // namespace

Result<AllowedHosts> AllowedHosts::parse(const std::string& names) {
    AllowedHosts hosts;
    for (std::string_view rest = names; !rest.empty();) {
        const auto end = std::min(rest.find(','), rest.size());
        auto part = rest.substr(0, end);
        rest.remove_prefix(std::min(end + 1, rest.size()));
        while (part.starts_with(' ')) part.remove_prefix(1);
        while (part.ends_with(' ')) part.remove_suffix(1);
        if (part.empty()) continue;
        const auto name = lower(part);
        const bool below = name.starts_with("*.");
        if (!is_name(below ? std::string_view(name).substr(2) : name)) {
            return fail(Errc::invalid_input,
                        "must list names like plimsoll.example.com or "
                        "*.example.com, without scheme or port, not " +
                            std::string(part));
        }
        hosts.any_ = false;
        if (below)
            hosts.suffixes_.push_back(name.substr(1));
        else
            hosts.names_.insert(name);
    }
    return hosts;
}

AllowedHosts AllowedHosts::only(std::set<std::string> names) {
    AllowedHosts hosts;
    hosts.any_ = false;
    for (const auto& name : names) hosts.names_.insert(lower(name));
    return hosts;
}

bool AllowedHosts::allow(std::string_view host) const {
    if (any_) return true;
    const auto name = name_of(host);
    if (name == "localhost" || name.ends_with(".localhost") || is_address(name)) return true;
    return names_.contains(name) || std::ranges::any_of(suffixes_, [&](const auto& suffix) {
               return name.size() > suffix.size() && name.ends_with(suffix);
           });
}

std::string_view host_of(std::string_view target, std::string_view field) {
    for (const std::string_view scheme : {"http://", "https://"}) {
        if (!target.starts_with(scheme)) continue;
        target.remove_prefix(scheme.size());
        const auto authority = target.substr(0, target.find_first_of("/?#"));
        return authority.substr(authority.rfind('@') + 1);
    }
    return field;
}

}  // namespace plimsoll::http
