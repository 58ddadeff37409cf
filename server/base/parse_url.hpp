#pragma once

#include <optional>
#include <string_view>

#include <boost/url/url_view.hpp>

namespace plimsoll {

// An absolute URL, as a view of `text`; nullopt if it is not one. Boost.URL 1.81 parses the host
// "127.0.0.1.example.com" as 127.0.0.1 and drops the rest: a URL whose host differs from its text
// is rejected, and so is one whose host is percent-encoded.
std::optional<boost::urls::url_view> parse_url(std::string_view text);

}  // namespace plimsoll
