// Accounts of programs: they belong to the team, act by tokens and never sign in.
#include "engine/base/json.hpp"
#include "server/http/endpoints/edits.hpp"
#include "server/http/endpoints/endpoints.hpp"
#include "server/http/endpoints/json_values.hpp"
#include "server/http/endpoints/page.hpp"
#include "server/http/endpoints/query.hpp"

#include <algorithm>

namespace plimsoll::http::endpoints {

namespace {

constexpr const char* kNoAccount = "The service account was not found.";

json editable_account(const identity::Member& account) {
    return {{"name", account.user.name},
            {"role", identity::to_string(account.role)},
            {"disabled", account.user.disabled}};
}

json service_account_json(const identity::Member& account) {
    auto told = editable_account(account);
    told["id"] = to_public(account.user.id);
    told["version"] = content_version(editable_account(account));
    told["created_at"] = to_rfc3339(account.user.created_at);
    return told;
}

Response account_response(const identity::Member& account) {
    return with_version(json_response(200, service_account_json(account)),
                        editable_account(account));
}

UserId account_id_of(const Call& call) {
    return parse_id<UserId>("user", call.parameters.text("service_account_id"), kNoAccount);
}

class ServiceAccounts {
  public:
    explicit ServiceAccounts(identity::IdentityStore& store) : store_(store) {}

    awaitable<Response> list(const Call& call) const {
        const auto accounts = need(co_await store_.service_accounts(call.principal.team.id));
        co_return list_by_id(call, array_of(accounts, service_account_json));
    }

    awaitable<Response> create(const Call& call) const {
        const auto role = identity::parse_role(call.body.value("role", "member"));
        const auto made = need(co_await store_.create_service_account(
            author_of(call), call.body.at("name").get<std::string>(), *role));
        co_return located(json_response(201, service_account_json(made)),
                          "/v1/service-accounts/" + to_public(made.user.id));
    }

    awaitable<Response> update(const Call& call) const {
        const auto id = account_id_of(call);
        identity::ServiceAccountChange change;
        if (call.body.contains("name")) change.name = call.body["name"];
        if (call.body.contains("disabled")) change.disabled = call.body["disabled"];
        if (call.body.contains("role"))
            change.role = identity::parse_role(call.body["role"].get_ref<const std::string&>());
        const auto author = co_await editor_of(call, named(call), editable_account);
        const auto updated =
            need(co_await store_.update_service_account(author, id, std::move(change)));
        co_return account_response(updated);
    }

    awaitable<Response> remove(const Call& call) const {
        const auto id = account_id_of(call);
        need(co_await store_.remove_service_account(author_of(call), id));
        co_return empty_response(204);
    }

  private:
    awaitable<identity::Member> named(const Call& call) const {
        const auto id = account_id_of(call);
        const auto accounts = need(co_await store_.service_accounts(call.principal.team.id));
        const auto found = std::ranges::find_if(
            accounts, [&id](const auto& account) { return account.user.id == id; });
        if (found == accounts.end()) throw Refused(404, kNoAccount);
        co_return *found;
    }

    identity::IdentityStore& store_;
};

}  // namespace

void add_service_accounts(Handlers& handlers, identity::IdentityStore& store) {
    const Members on(handlers, std::make_shared<const ServiceAccounts>(store));
    on("listServiceAccounts", &ServiceAccounts::list);
    on("createServiceAccount", &ServiceAccounts::create);
    on("updateServiceAccount", &ServiceAccounts::update);
    on("deleteServiceAccount", &ServiceAccounts::remove);
}

}  // namespace plimsoll::http::endpoints
