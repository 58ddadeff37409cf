#pragma once

#include <optional>
#include <string_view>

#include <boost/url/url_view.hpp>

namespace plimsoll {

// An absolute URL, as a view of `text`; nullopt if it is none. Boost.URL 1.81 takes the host
// "127.0.0.1.example.com" for 127.0.0.1 and drops the rest: such a URL, whose host is not what its
// text says, counts as none.
std::optional<boost::urls::url_view> parse_url(std::string_view text);

}  // namespace plimsoll
