// Settings of system admins: teams' shares and limits, and how past usage counts in a device class.
#include "engine/base/json.hpp"
#include "server/http/access/authentication.hpp"
#include "server/http/endpoints/edits.hpp"
#include "server/http/endpoints/endpoints.hpp"
#include "server/http/endpoints/identity/identity_json.hpp"
#include "server/http/endpoints/pool/pool_json.hpp"

#include <algorithm>

namespace plimsoll::http::endpoints {

namespace {

template <class T>
std::optional<T> member(const json& body, const char* name) {
    const auto found = body.find(name);
    if (found == body.end() || found->is_null()) return std::nullopt;
    return found->get<T>();
}

// The team in the path: the caller's own, or any team for system admins.
TeamId team_in_path(const Call& call) {
    const auto team = team_id_of(call.parameters.text("team_id"));
    if (team != call.principal.team.id && !has_scope(call.principal, "sys:admin"))
        throw Refused(404, "The team was not found.");
    return team;
}

std::string class_in_path(const Call& call) {
    return call.parameters.text("device_class").value_or("");
}

class Terms {
  public:
    Terms(queue::ShareStore& store, identity::IdentityStore& people)
        : store_(store), people_(people) {}

    awaitable<Response> get_share(const Call& call) const {
        const auto share = co_await share_of(call);
        co_return with_version(json_response(200, share_json(share)), editable_share(share));
    }

    awaitable<Response> set_share(const Call& call) const {
        const auto team = team_in_path(call);
        queue::ShareTerms terms;
        terms.weight = call.body.at("weight").get<double>();
        terms.cap = member<int>(call.body, "cap");
        if (const auto quota = member<json>(call.body, "quota")) {
            terms.quota = {quota->at("seconds").get<double>(),
                           quota->at("period").get<std::string>()};
        }
        const auto author = co_await editor_of(call, share_of(call), editable_share);
        need(co_await store_.set_share(author, team, class_in_path(call), terms));
        co_return co_await get_share(call);
    }

    awaitable<Response> get_limits(const Call& call) const {
        const auto limit = co_await limit_of(call);
        co_return with_version(json_response(200, limit_json(limit)), editable_limit(limit));
    }

    awaitable<Response> set_limits(const Call& call) const {
        const auto team = team_in_path(call);
        const queue::TeamLimits limits{member<int>(call.body, "queued_jobs"),
                                       member<int>(call.body, "jobs_per_minute")};
        const auto author = co_await editor_of(call, limit_of(call), editable_limit);
        need(co_await store_.set_limits(author, team, limits));
        co_return co_await get_limits(call);
    }

    awaitable<Response> get_class(const Call& call) const {
        const auto found = co_await class_of(call);
        co_return with_version(json_response(200, class_json(found)), editable_class(found));
    }

    awaitable<Response> set_class(const Call& call) const {
        const auto author = co_await editor_of(call, class_of(call), editable_class);
        need(co_await store_.set_class(author, class_in_path(call),
                                       call.body.at("half_life_seconds").get<double>(),
                                       call.body.at("entry_limit_seconds").get<double>()));
        co_return co_await get_class(call);
    }

  private:
    awaitable<queue::Share> share_of(const Call& call) const {
        const auto team = team_in_path(call);
        const auto shares = need(co_await store_.shares(team));
        const auto found =
            std::ranges::find(shares, class_in_path(call), &queue::Share::device_class);
        if (found == shares.end()) throw Refused(404, "The share was not found.");
        co_return *found;
    }

    // A team that has never been limited has no limits.
    awaitable<queue::TeamLimit> limit_of(const Call& call) const {
        const auto team = team_in_path(call);
        const auto limits = need(co_await store_.limits(team));
        if (!limits.empty()) co_return limits.front();
        if (team != call.principal.team.id) {
            const auto teams = need(co_await people_.teams(call.principal.user.id));
            if (std::ranges::find(teams, team, &identity::Team::id) == teams.end())
                throw Refused(404, "The team was not found.");
        }
        co_return queue::TeamLimit{team, {}, 0};
    }

    awaitable<queue::ClassOverview> class_of(const Call& call) const {
        const auto classes = need(co_await store_.classes());
        const auto found =
            std::ranges::find(classes, class_in_path(call), &queue::ClassOverview::device_class);
        if (found == classes.end())  // the contract knows no other than the database's
            throw Refused(Error{Errc::internal, "no device class " + class_in_path(call), {}});
        co_return *found;
    }

    queue::ShareStore& store_;
    identity::IdentityStore& people_;
};

}  // namespace

void add_terms(Handlers& handlers, queue::ShareStore& store, identity::IdentityStore& people) {
    const Members on(handlers, std::make_shared<const Terms>(store, people));
    on("setShare", &Terms::set_share);
    on("getTeamLimits", &Terms::get_limits);
    on("setTeamLimits", &Terms::set_limits);
    on("setDeviceClass", &Terms::set_class);
}

}  // namespace plimsoll::http::endpoints
