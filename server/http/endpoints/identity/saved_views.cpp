// Filters of a page that the caller keeps under a name. They belong to the caller and one team.
#include "engine/base/json.hpp"
#include "server/http/endpoints/endpoints.hpp"
#include "server/http/endpoints/json_values.hpp"
#include "server/http/endpoints/page.hpp"
#include "server/http/endpoints/query.hpp"
#include "server/teams/team_record_store.hpp"

namespace plimsoll::http::endpoints {

using jobs::TeamRecord;

namespace {

constexpr jobs::Collection kSavedViews{.name = "saved_view",
                                       .singular = "saved view",
                                       .plural = "other saved views",
                                       .max = 100,
                                       .of_members = true,
                                       .written = ""};

json view_json(const TeamRecord& view) {
    return {{"id", public_id("view", std::stoll(view.id))},
            {"page", view.section},
            {"name", view.name},
            {"query", json::parse(view.data)},
            {"created_at", to_rfc3339(view.created_at)}};
}

awaitable<Response> list(const Call& call, teams::TeamRecordStore& store) {
    const auto views = need(co_await store.list(kSavedViews, call.principal.team.id,
                                                {.member = call.principal.user.id}));
    co_return list_response(call, array_of(views, view_json), [](const json& item) {
        return item.at("page").get<std::string>() + ' ' + item.at("name").get<std::string>();
    });
}

awaitable<Response> put(const Call& call, teams::TeamRecordStore& store) {
    TeamRecord view;
    view.section = call.body.at("page").get<std::string>();
    view.name = call.body.at("name").get<std::string>();
    view.data = call.body.at("query").dump();
    const auto kept = need(co_await store.put(kSavedViews, author_of(call), std::move(view)));
    co_return json_response(200, view_json(kept));
}

awaitable<Response> remove(const Call& call, teams::TeamRecordStore& store) {
    const auto id = parse_id<Id<struct SavedViewTag>>("view", call.parameters.text("view_id"),
                                                      "The saved view was not found.");
    need(co_await store.remove(kSavedViews, author_of(call), std::to_string(id.value)));
    co_return empty_response(204);
}

}  // namespace

void add_saved_views(Handlers& handlers, teams::TeamRecordStore& store) {
    handlers["listSavedViews"] = [&store](const Call& call) { return list(call, store); };
    handlers["saveView"] = [&store](const Call& call) { return put(call, store); };
    handlers["deleteSavedView"] = [&store](const Call& call) { return remove(call, store); };
}

}  // namespace plimsoll::http::endpoints
