#include "server/client/hub.hpp"

#include "server/base/addresses.hpp"

#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <sstream>

namespace plimsoll::client {
namespace {

constexpr const char* kDefaultHub = "https://huggingface.co";
// Where huggingface.co keeps large files.
constexpr const char* kDefaultHubHosts = "huggingface.co,hf.co";

std::string variable(const char* name) {
    const char* value = std::getenv(name);
    return value == nullptr ? "" : value;
}

// "https://host" without a slash at the end; empty stays empty.
Result<std::string> address(std::string hub, const char* from) {
    while (hub.ends_with('/')) hub.pop_back();
    const auto url = parse_url(hub);
    const bool fits = url && (url->scheme() == "http" || url->scheme() == "https") &&
                      !url->has_userinfo() && url->encoded_path().empty() && !url->has_query();
    if (hub.empty() || fits) return hub;
    return fail(Errc::invalid_input, "It must be https://host.", from);
}

}  // namespace

bool is_plain(const std::string& text) {
    return !text.empty() && text.find("..") == std::string::npos &&
           std::ranges::all_of(text, [](unsigned char c) {
               return std::isalnum(c) != 0 || c == '.' || c == '_' || c == '-';
           });
}
bool is_repository(const std::string& text) {
    const auto slash = text.find('/');
    return slash != std::string::npos && is_plain(text.substr(0, slash)) &&
           is_plain(text.substr(slash + 1));
}

Error about(const Error& error, const Origin& hub, const std::string& repository) {
    Error told = error;
    if (error.code == Errc::not_found) {
        told.message =
            hub.server + " has no model \"" + repository + "\", or the model has no such revision.";
    } else if (error.code == Errc::unauthenticated || error.code == Errc::forbidden) {
        told.message = "\"" + repository +
                       "\" requires a token (HF_TOKEN), or your acceptance of its terms. " +
                       error.message;
    } else if (error.code == Errc::unavailable) {
        told.message +=
            " Offline, copy the model's files to this machine, and name their folder: `plimsoll "
            "model add` or "
            "`estimate --model`.";
    }
    return told;
}

Result<Origin> hub_origin(const std::string& server, std::string hosts) {
    auto own = address(server, "PLIMSOLL_HUB");
    if (own && own->empty()) own = address(variable("HF_ENDPOINT"), "HF_ENDPOINT");
    if (!own) return fail(own.error());
    Origin hub{.server = own->empty() ? kDefaultHub : *own,
               .token = variable("HF_TOKEN"),
               .redirects = {}};
    if (hosts.empty()) hosts = kDefaultHubHosts;
    std::istringstream in(hosts);
    for (std::string host; std::getline(in, host, ',');)
        if (!host.empty()) hub.redirects.push_back(host);
    return hub;
}

}  // namespace plimsoll::client
