#include "server/base/parse_url.hpp"

#include <boost/url/parse.hpp>

namespace plimsoll {

std::optional<boost::urls::url_view> parse_url(std::string_view text) {
    const auto url = boost::urls::parse_uri(text);
    if (!url || !url->has_authority()) return std::nullopt;
    const auto rest = text.substr(text.find("//") + 2);
    const auto authority = rest.substr(0, rest.find_first_of("/?#"));
    if (std::string_view(url->encoded_authority()) != authority) return std::nullopt;
    return *url;
}

}  // namespace plimsoll
