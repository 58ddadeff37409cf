// The queue as a whole, and its holds.
#include "server/http/access/authentication.hpp"
#include "server/http/endpoints/author.hpp"
#include "server/http/endpoints/endpoints.hpp"
#include "server/http/endpoints/identity/identity_json.hpp"
#include "server/http/endpoints/pool/share_json.hpp"

#include <algorithm>

namespace plimsoll::http::endpoints {

using boost::asio::awaitable;
using nlohmann::json;

namespace {

bool administers_all(const Call& call) {
    return has_scope(call.principal, "sys:admin");
}

Problem broken_body(std::string pointer, std::string rule) {
    Problem problem(422, "The body is invalid.");
    problem.errors.push_back({std::move(pointer), {}, std::move(rule)});
    return problem;
}

template <class T>
json list_of(const std::vector<T>& items, json (*shown)(const T&)) {
    auto list = json::array();
    for (const auto& item : items) list.push_back(shown(item));
    return list;
}

class Queue {
  public:
    explicit Queue(queue::ShareStore& store) : store_(store) {}

    awaitable<Outcome<Response>> read(const Call& call) const {
        const auto team =
            administers_all(call) ? std::nullopt : std::optional(call.principal.team.id);
        const auto classes = co_await store_.classes();
        if (!classes) co_return tl::unexpected<Problem>(classes.error());
        const auto shares = co_await store_.shares(team);
        if (!shares) co_return tl::unexpected<Problem>(shares.error());
        const auto limits = co_await store_.limits(team);
        if (!limits) co_return tl::unexpected<Problem>(limits.error());
        const auto holds = co_await store_.holds(team);
        if (!holds) co_return tl::unexpected<Problem>(holds.error());
        auto warnings = json::array();
        if (administers_all(call)) {
            const auto holders = co_await store_.vacuum_holders();
            if (!holders) co_return tl::unexpected<Problem>(holders.error());
            warnings = warnings_json(*holders);
        }
        co_return json_response(200, {{"classes", list_of(*classes, class_json)},
                                      {"shares", list_of(*shares, share_json)},
                                      {"limits", list_of(*limits, limit_json)},
                                      {"holds", list_of(*holds, hold_json)},
                                      {"warnings", std::move(warnings)}});
    }

    awaitable<Outcome<Response>> hold(const Call& call) const {
        auto hold = hold_of(call);
        if (!hold) co_return tl::unexpected(hold.error());
        const auto team = hold->team;
        const auto id = co_await store_.hold(author_of(call), std::move(*hold));
        if (!id) co_return tl::unexpected<Problem>(id.error());
        const auto holds = co_await store_.holds(team);
        if (!holds) co_return tl::unexpected<Problem>(holds.error());
        const auto made = std::ranges::find(*holds, *id, &queue::Hold::id);
        if (made == holds->end()) co_return refuse(409, "The hold has already been lifted.");
        auto response = json_response(201, hold_json(*made));
        response.with("Location", "/v1/holds/" + public_hold(made->id));
        co_return response;
    }

    awaitable<Outcome<Response>> get(const Call& call) const {
        const auto id = parse_hold(call.parameters.text("hold_id").value_or(""));
        const auto team =
            administers_all(call) ? std::nullopt : std::optional(call.principal.team.id);
        const auto holds = co_await store_.holds(team);
        if (!holds) co_return tl::unexpected<Problem>(holds.error());
        for (const auto& hold : *holds) {
            if (id && hold.id == *id) co_return json_response(200, hold_json(hold));
        }
        co_return refuse(404, "The hold was not found.");
    }

    awaitable<Outcome<Response>> resume(const Call& call) const {
        const auto id = parse_hold(call.parameters.text("hold_id").value_or(""));
        if (!id) co_return refuse(404, "The hold was not found.");
        const auto team =
            administers_all(call) ? std::nullopt : std::optional(call.principal.team.id);
        const auto lifted = co_await store_.resume(author_of(call), *id, team);
        if (!lifted) co_return tl::unexpected<Problem>(lifted.error());
        co_return empty_response(204);
    }

  private:
    // Team admins may hold their own team, system admins everything.
    static Outcome<queue::NewHold> hold_of(const Call& call) {
        queue::NewHold hold;
        hold.mode = call.body.at("mode").get<std::string>();
        hold.reason = call.body.at("reason").get<std::string>();
        hold.by_admin = administers_all(call);
        hold.device_class = call.body.value("device_class", "");
        hold.node = call.body.value("node", "");
        hold.device = call.body.value("device", "");
        const bool team = call.body.contains("team_id");
        if (int(team) + int(!hold.device_class.empty()) + int(!hold.node.empty()) != 1) {
            return tl::unexpected(
                broken_body("", "must name exactly one of team_id, device_class and node"));
        }
        if (!hold.device.empty() && hold.node.empty()) {
            return tl::unexpected(broken_body("/device", "also needs node"));
        }
        if (team) {
            const auto id = team_id_of(call.body.at("team_id").get<std::string>());
            if (!id) return tl::unexpected(id.error());
            if (*id != call.principal.team.id && !hold.by_admin) {
                return refuse(404, "The team was not found.");
            }
            hold.team = *id;
        } else if (!hold.by_admin) {
            return refuse(403, "This operation needs the scope sys:admin.");
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
    const auto queue = std::make_shared<const Queue>(store);
    handlers["getQueue"] = [queue](const Call& call) { return queue->read(call); };
    handlers["createHold"] = [queue](const Call& call) { return queue->hold(call); };
    handlers["getHold"] = [queue](const Call& call) { return queue->get(call); };
    handlers["deleteHold"] = [queue](const Call& call) { return queue->resume(call); };
}

}  // namespace plimsoll::http::endpoints
