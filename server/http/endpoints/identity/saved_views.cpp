// Filters of a page that the caller keeps under a name.
#include "server/http/endpoints/endpoints.hpp"
#include "server/http/endpoints/page.hpp"

namespace plimsoll::http::endpoints {

using boost::asio::awaitable;
using nlohmann::json;
using teams::SavedView;

namespace {

json view_json(const SavedView& view) {
    return {{"id", to_public(view.id)},
            {"page", view.page},
            {"name", view.name},
            {"query", view.query},
            {"created_at", to_rfc3339(view.created_at)}};
}

awaitable<Outcome<Response>> list(const Call& call, teams::SavedViewStore& store) {
    const auto views = co_await store.list(call.principal.team.id, call.principal.user.id);
    if (!views) co_return tl::unexpected<Problem>(views.error());
    auto items = json::array();
    for (const auto& view : *views) items.push_back(view_json(view));
    co_return list_response(call, std::move(items), [](const json& item) {
        return item.at("page").get<std::string>() + ' ' + item.at("name").get<std::string>();
    });
}

awaitable<Outcome<Response>> get(const Call& call, teams::SavedViewStore& store) {
    const auto id = parse_public_id("view", call.parameters.text("view_id").value_or(""));
    const auto views = co_await store.list(call.principal.team.id, call.principal.user.id);
    if (!views) co_return tl::unexpected<Problem>(views.error());
    for (const auto& view : *views) {
        if (id && view.id.value == *id) co_return json_response(200, view_json(view));
    }
    co_return refuse(404, "The saved view was not found.");
}

awaitable<Outcome<Response>> put(const Call& call, teams::SavedViewStore& store) {
    SavedView view;
    view.page = call.body.at("page").get<std::string>();
    view.name = call.body.at("name").get<std::string>();
    view.query = call.body.at("query").get<std::string>();
    const auto kept =
        co_await store.put(call.principal.team.id, call.principal.user.id, std::move(view));
    if (!kept) co_return tl::unexpected<Problem>(kept.error());
    co_return json_response(200, view_json(*kept));
}

awaitable<Outcome<Response>> remove(const Call& call, teams::SavedViewStore& store) {
    const auto id = parse_public_id("view", call.parameters.text("view_id").value_or(""));
    if (!id) co_return refuse(404, "The saved view was not found.");
    const auto removed = co_await store.remove(call.principal.team.id, call.principal.user.id,
                                               teams::SavedViewId{*id});
    if (!removed) co_return tl::unexpected<Problem>(removed.error());
    co_return empty_response(204);
}

}  // namespace

void add_saved_views(Handlers& handlers, teams::SavedViewStore& store) {
    handlers["listSavedViews"] = [&store](const Call& call) { return list(call, store); };
    handlers["getSavedView"] = [&store](const Call& call) { return get(call, store); };
    handlers["saveView"] = [&store](const Call& call) { return put(call, store); };
    handlers["deleteSavedView"] = [&store](const Call& call) { return remove(call, store); };
}

}  // namespace plimsoll::http::endpoints
