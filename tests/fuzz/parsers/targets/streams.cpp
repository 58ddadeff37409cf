// What other servers send us: event streams, and the addresses of webhooks.
#include "server/base/addresses.hpp"
#include "server/client/api_client.hpp"
#include "server/outbound/target.hpp"
#include "tests/fuzz/parsers/targets.hpp"

#include <string>
#include <vector>

namespace plimsoll::fuzz {

namespace {

std::vector<std::string> events(std::string_view text, std::size_t piece) {
    client::EventStreamParser parser;
    std::vector<std::string> found;
    while (!text.empty()) {
        const auto part = text.substr(0, piece);
        text.remove_prefix(part.size());
        parser.feed(part, [&](const client::ServerEvent& event) {
            found.push_back(event.id + '\n' + event.type + '\n' + event.data);
        });
    }
    return found;
}

}  // namespace

void give_streams(std::string_view text) {
    const auto whole = events(text, text.size() + 1);
    ensure(events(text, 1) == whole && events(text, 3) == whole);
    const std::string url(text);
    static_cast<void>(parse_url(url));
    if (const auto target = outbound::parse_target(url)) {
        ensure(!target->host.empty() && target->path.starts_with('/'));
        ensure(target->host.find_first_of("@/?# \r\n") == std::string::npos);
        ensure(target->path.find_first_of(" \r\n#") == std::string::npos);
    }
    static_cast<void>(outbound::AllowList::parse(url, url));
}

}  // namespace plimsoll::fuzz
