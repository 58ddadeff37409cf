#include "server/http/endpoints/page.hpp"

#include <boost/url/parse.hpp>
#include <boost/url/url.hpp>

namespace plimsoll::http::endpoints {

std::string next_link(std::string_view target, std::string_view cursor) {
    boost::urls::url url(boost::urls::parse_uri_reference(target).value());
    url.params().set("cursor", cursor);
    return '<' + std::string(url.encoded_target()) + ">; rel=\"next\"";
}

}  // namespace plimsoll::http::endpoints
