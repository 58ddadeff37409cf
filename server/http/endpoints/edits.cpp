#include "server/http/endpoints/edits.hpp"

#include "engine/base/json.hpp"
#include "server/http/messages/fingerprint.hpp"

namespace plimsoll::http::endpoints {

std::string content_version(const json& editable) {
    const auto etag = content_etag(editable.dump());
    return etag.substr(1, etag.size() - 2);
}

json members_of(const json& resource, std::initializer_list<const char*> members) {
    auto some = json::object();
    for (const auto* member : members) some[member] = resource.at(member);
    return some;
}

bool only_creates(const Call& call) { return call.parameters.text("If-None-Match").has_value(); }

Author editor_of(const Call& call, const json& editable) {
    auto author = author_of(call);
    const auto version = call.parameters.text("If-Match");
    if (!version && !only_creates(call)) return author;
    if (version && *version != '"' + content_version(editable) + '"')
        throw Refused(changed_meanwhile());
    if (only_creates(call) && !editable.is_null()) throw Refused(exists_already());
    author.seen = editable.dump();
    return author;
}

}  // namespace plimsoll::http::endpoints
