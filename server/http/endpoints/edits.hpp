#pragma once

#include "server/http/endpoints/query.hpp"

#include <initializer_list>
#include <string>

#include <nlohmann/json.hpp>

// Edits that name the version they are based on: the resource has a `version`, GET and the edit
// return it as their ETag, and the edit accepts it as If-Match: 412 if the version has changed
// since.
namespace plimsoll::http::endpoints {

// `editable`: the members of the resource that can be edited, as the stores compare them
// (Author::seen). The others do not count, since they change by themselves.
std::string content_version(const nlohmann::json& editable);

inline Response with_version(Response response, const nlohmann::json& editable) {
    response.with("ETag", '"' + content_version(editable) + '"');
    return response;
}

// Some members of a resource.
nlohmann::json members_of(const nlohmann::json& resource,
                          std::initializer_list<const char*> members);

// Whether what exists must stay as it is: If-None-Match, of which the contract allows only "*".
bool only_creates(const Call& call);

inline Error exists_already() {
    return {Errc::conflict, "A resource with this ID already exists.", kSeen};
}

// The author of an edit of what is `editable` now, null if it is not there; 412 if the call names
// another version, or only creates (If-None-Match: *) what is there.
Author editor_of(const Call& call, const nlohmann::json& editable);

// The same for a resource that is read only if the call has one of these headers.
template <class Resource>
awaitable<Author> editor_of(const Call& call, awaitable<Resource> read,
                            nlohmann::json (*editable)(const Resource&)) {
    if (!call.parameters.text("If-Match") && !only_creates(call)) co_return author_of(call);
    const auto present = co_await std::move(read);
    co_return editor_of(call, editable(present));
}

}  // namespace plimsoll::http::endpoints
