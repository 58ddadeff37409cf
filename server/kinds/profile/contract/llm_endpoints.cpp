#include "server/kinds/profile/contract/llm_endpoints.hpp"

#include "server/base/addresses.hpp"

#include <algorithm>

#include <boost/url/url_view.hpp>

namespace plimsoll::jobs::profile {
namespace {

tl::unexpected<Error> refused(std::string_view url, const std::string& rule) {
    return fail(Errc::invalid_input, "\"" + std::string(url) + "\" " + rule);
}

Result<LlmEndpoint> parse_endpoint(std::string_view text) {
    const auto url = parse_url(text);
    if (!url) return refused(text, "is not a URL");
    const std::string_view scheme = url->scheme();
    if (scheme != "http" && scheme != "https")
        return refused(text, "must begin with http:// or https://");
    if (url->host().empty() || url->has_userinfo() || url->has_fragment())
        return refused(text, "must have a host and no user or fragment");
    if (url->has_port() && url->port_number() == 0)
        return refused(text, "must have a port from 1 to 65535");
    LlmEndpoint endpoint;
    endpoint.url = text;
    endpoint.host = url->host_address();
    endpoint.port = url->has_port() ? std::string(url->port()) : scheme == "https" ? "443" : "80";
    const std::string_view path = url->encoded_path();
    if (path.ends_with("/chat/completions"))
        endpoint.dialect = LlmDialect::openai;
    else if (!path.ends_with("/api/generate"))
        return refused(text, "must end in /api/generate or /chat/completions");
    return endpoint;
}

}  // namespace

Result<std::vector<LlmEndpoint>> parse_llm_endpoints(std::string_view text) {
    std::vector<LlmEndpoint> endpoints;
    while (!text.empty()) {
        const auto comma = std::min(text.find(','), text.size());
        auto part = text.substr(0, comma);
        text.remove_prefix(std::min(comma + 1, text.size()));
        while (part.starts_with(' ')) part.remove_prefix(1);
        while (part.ends_with(' ')) part.remove_suffix(1);
        if (part.empty()) continue;
        TRY(auto endpoint, parse_endpoint(part));
        endpoints.push_back(std::move(endpoint));
    }
    return endpoints;
}

const LlmEndpoint* find_endpoint(const LlmSettings& settings, std::string_view url) {
    const auto found = std::ranges::find(settings.endpoints, url, &LlmEndpoint::url);
    return found == settings.endpoints.end() ? nullptr : &*found;
}

}  // namespace plimsoll::jobs::profile
