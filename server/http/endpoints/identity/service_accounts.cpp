// Accounts of programs: they belong to the team, act by tokens and never sign in.
#include "server/http/endpoints/author.hpp"
#include "server/http/endpoints/edits.hpp"
#include "server/http/endpoints/endpoints.hpp"
#include "server/http/endpoints/identity/identity_json.hpp"
#include "server/http/endpoints/page.hpp"

#include <algorithm>

namespace plimsoll::http::endpoints {

using boost::asio::awaitable;
using nlohmann::json;

namespace {

constexpr std::string_view kNoAccount = "The service account was not found.";

json editable_account(const identity::Member& account) {
    return {{"name", account.user.name},
            {"role", identity::to_string(account.role)},
            {"disabled", account.user.disabled}};
}

json account_json(const identity::Member& account) {
    auto told = editable_account(account);
    told["id"] = to_public(account.user.id);
    told["version"] = content_version(editable_account(account));
    told["created_at"] = to_rfc3339(account.user.created_at);
    return told;
}

Response account_response(const identity::Member& account) {
    return with_version(json_response(200, account_json(account)), editable_account(account));
}

Outcome<UserId> account_id_of(const Call& call) {
    const auto id =
        parse_public_id("user", call.parameters.text("service_account_id").value_or(""));
    if (!id) return refuse(404, std::string(kNoAccount));
    return UserId{*id};
}

class ServiceAccounts {
  public:
    explicit ServiceAccounts(identity::IdentityStore& store) : store_(store) {}

    awaitable<Outcome<Response>> list(const Call& call) const {
        const auto accounts = co_await store_.service_accounts(call.principal.team.id);
        if (!accounts) co_return tl::unexpected<Problem>(accounts.error());
        auto items = json::array();
        for (const auto& account : *accounts) items.push_back(account_json(account));
        co_return list_by_id(call, std::move(items));
    }

    awaitable<Outcome<Response>> create(const Call& call) const {
        const auto role = identity::parse_role(call.body.value("role", "member"));
        const auto made = co_await store_.create_service_account(
            author_of(call), call.body.at("name").get<std::string>(), *role);
        if (!made) co_return tl::unexpected<Problem>(made.error());
        auto response = json_response(201, account_json(*made));
        response.with("Location", "/v1/service-accounts/" + to_public(made->user.id));
        co_return response;
    }

    awaitable<Outcome<Response>> get(const Call& call) const {
        const auto account = co_await named(call);
        if (!account) co_return tl::unexpected(account.error());
        co_return account_response(*account);
    }

    awaitable<Outcome<Response>> update(const Call& call) const {
        const auto id = account_id_of(call);
        if (!id) co_return tl::unexpected(id.error());
        identity::ServiceAccountChange change;
        if (call.body.contains("name")) change.name = call.body["name"];
        if (call.body.contains("disabled")) change.disabled = call.body["disabled"];
        if (call.body.contains("role")) {
            change.role = identity::parse_role(call.body["role"].get_ref<const std::string&>());
        }
        const auto author = co_await editor_of(call, named(call), editable_account);
        if (!author) co_return tl::unexpected(author.error());
        const auto updated =
            co_await store_.update_service_account(*author, *id, std::move(change));
        if (!updated) co_return tl::unexpected<Problem>(updated.error());
        co_return account_response(*updated);
    }

    awaitable<Outcome<Response>> remove(const Call& call) const {
        const auto id = account_id_of(call);
        if (!id) co_return tl::unexpected(id.error());
        const auto removed = co_await store_.remove_service_account(author_of(call), *id);
        if (!removed) co_return tl::unexpected<Problem>(removed.error());
        co_return empty_response(204);
    }

  private:
    awaitable<Outcome<identity::Member>> named(const Call& call) const {
        const auto id = account_id_of(call);
        if (!id) co_return tl::unexpected(id.error());
        const auto accounts = co_await store_.service_accounts(call.principal.team.id);
        if (!accounts) co_return tl::unexpected<Problem>(accounts.error());
        const auto found = std::ranges::find_if(
            *accounts, [&id](const auto& account) { return account.user.id == *id; });
        if (found == accounts->end()) co_return refuse(404, std::string(kNoAccount));
        co_return *found;
    }

    identity::IdentityStore& store_;
};

}  // namespace

void add_service_accounts(Handlers& handlers, identity::IdentityStore& store) {
    const auto accounts = std::make_shared<const ServiceAccounts>(store);
    handlers["listServiceAccounts"] = [accounts](const Call& call) { return accounts->list(call); };
    handlers["createServiceAccount"] = [accounts](const Call& call) {
        return accounts->create(call);
    };
    handlers["getServiceAccount"] = [accounts](const Call& call) { return accounts->get(call); };
    handlers["updateServiceAccount"] = [accounts](const Call& call) {
        return accounts->update(call);
    };
    handlers["deleteServiceAccount"] = [accounts](const Call& call) {
        return accounts->remove(call);
    };
}

}  // namespace plimsoll::http::endpoints
