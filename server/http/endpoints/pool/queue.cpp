// The queue as a whole, and its holds.
#include "engine/base/json.hpp"
#include "server/http/access/authentication.hpp"
#include "server/http/endpoints/endpoints.hpp"
#include "server/http/endpoints/identity/identity_json.hpp"
#include "server/http/endpoints/json_values.hpp"
#include "server/http/endpoints/pool/pool_json.hpp"
#include "server/http/endpoints/query.hpp"

#include <algorithm>

namespace plimsoll::http::endpoints {

namespace {

bool administers_all(const Call& call) { return has_scope(call.principal, "sys:admin"); }

class Queue {
  public:
    explicit Queue(queue::ShareStore& store) : store_(store) {}

    awaitable<Response> read(const Call& call) const {
        const auto team =
            administers_all(call) ? std::nullopt : std::optional(call.principal.team.id);
        const auto classes = need(co_await store_.classes());
        const auto shares = need(co_await store_.shares(team));
        const auto limits = need(co_await store_.limits(team));
        const auto holds = need(co_await store_.holds(team));
        auto warnings = json::array();
        if (administers_all(call)) warnings = warnings_json(need(co_await store_.vacuum_holders()));
        co_return json_response(200, {{"classes", array_of(classes, class_json)},
                                      {"shares", array_of(shares, share_json)},
                                      {"limits", array_of(limits, limit_json)},
                                      {"holds", array_of(holds, hold_json)},
                                      {"warnings", std::move(warnings)}});
    }

    awaitable<Response> hold(const Call& call) const {
        auto hold = hold_of(call);
        const auto team = hold.team;
        const auto id = need(co_await store_.hold(author_of(call), std::move(hold)));
        const auto holds = need(co_await store_.holds(team));
        const auto made = std::ranges::find(holds, id, &queue::Hold::id);
        if (made == holds.end()) throw Refused(409, "The hold has already been lifted.");
        co_return located(json_response(201, hold_json(*made)),
                          "/v1/holds/" + public_hold(made->id));
    }

    awaitable<Response> resume(const Call& call) const {
        const auto id = parse_hold(call.parameters.text("hold_id").value_or(""));
        if (!id) throw Refused(404, "The hold was not found.");
        const auto team =
            administers_all(call) ? std::nullopt : std::optional(call.principal.team.id);
        const auto lifted = co_await store_.resume(author_of(call), *id, team);
        if (lifted) co_return empty_response(204);
        const auto seen = need(co_await store_.holds(team));
        if (std::ranges::find(seen, *id, &queue::Hold::id) != seen.end())
            throw Refused(403, "Only a system admin may lift this hold.");
        throw Refused(lifted.error());
    }

  private:
    // Team admins may hold their own team, system admins everything.
    static queue::NewHold hold_of(const Call& call) {
        queue::NewHold hold;
        hold.mode = call.body.at("mode").get<std::string>();
        hold.reason = call.body.at("reason").get<std::string>();
        hold.by_admin = administers_all(call);
        hold.device_class = call.body.value("device_class", "");
        hold.node = call.body.value("node", "");
        hold.device = call.body.value("device", "");
        const bool team = call.body.contains("team_id");
        if (int(team) + int(!hold.device_class.empty()) + int(!hold.node.empty()) != 1) {
            throw Refused(
                invalid_member("", "must name exactly one of team_id, device_class and node"));
        }
        if (!hold.device.empty() && hold.node.empty())
            throw Refused(invalid_member("/device", "also needs node"));
        if (team) {
            const auto id = team_id_of(call.body.at("team_id").get<std::string>());
            if (id != call.principal.team.id && !hold.by_admin)
                throw Refused(404, "The team was not found.");
            hold.team = id;
        } else if (!hold.by_admin) {
            throw Refused(403, "This operation needs the scope sys:admin.");
        }
        hold.scope = team                         ? "team"
                     : !hold.device_class.empty() ? "device_class"
                     : hold.device.empty()        ? "node"
                                                  : "device";
        return hold;
    }

    queue::ShareStore& store_;
};

}  // namespace

void add_queue(Handlers& handlers, queue::ShareStore& store) {
    const Members on(handlers, std::make_shared<const Queue>(store));
    on("getQueue", &Queue::read);
    on("createHold", &Queue::hold);
    on("deleteHold", &Queue::resume);
}

}  // namespace plimsoll::http::endpoints
