#include "server/base/parse_url.hpp"

#include <algorithm>

#include <boost/url/parse.hpp>

namespace plimsoll {

std::optional<boost::urls::url_view> parse_url(std::string_view text) {
    // Boost.URL 1.81 checks "h: \x1d" and "h:[" by an assertion only, which a release does without.
    const auto printed = [](char c) { return c > ' ' && c < '\x7f'; };
    if (!std::ranges::all_of(text, printed)) return std::nullopt;
    if (!text.substr(std::min(text.find(':'), text.size())).starts_with("://")) return std::nullopt;
    const auto url = boost::urls::parse_uri(text);
    if (!url || !url->has_authority()) return std::nullopt;
    const auto rest = text.substr(text.find("//") + 2);
    const auto authority = rest.substr(0, rest.find_first_of("/?#"));
    if (std::string_view(url->encoded_authority()) != authority) return std::nullopt;
    // "a%0a.example" would name a host with a line's end in it.
    if (authority.substr(authority.rfind('@') + 1).find('%') != authority.npos) return std::nullopt;
    return *url;
}

}  // namespace plimsoll
