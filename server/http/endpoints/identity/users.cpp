// Users and their sign-in links. For system admins.
//
// Identities of users at identity providers. For system admins.
#include "engine/base/json.hpp"
#include "server/http/endpoints/edits.hpp"
#include "server/http/endpoints/endpoints.hpp"
#include "server/http/endpoints/identity/identity_json.hpp"
#include "server/http/endpoints/json_values.hpp"
#include "server/http/endpoints/page.hpp"
#include "server/http/endpoints/query.hpp"
#include "server/identity/provider_store.hpp"
#include "server/identity/secret.hpp"

#include <algorithm>

namespace plimsoll::http::endpoints {

using identity::IdentityId;
using identity::ProvidedIdentity;

namespace {

// Long enough to be sent to a colleague, short enough to be forgotten safely.
constexpr std::chrono::hours kLinkLifetime{24};

json editable_account(const identity::Account& account) {
    return members_of(user_json(account.user), {"name", "email", "is_admin", "disabled"});
}

json account_json(const identity::Account& account) {
    auto told = user_json(account.user);
    told["email_verified"] = account.email_verified;
    told["second_factor"] = account.second_factor;
    told["provider_sign_in"] = account.provided;
    told["version"] = content_version(editable_account(account));
    return told;
}

awaitable<Response> list_users(const Call& call, identity::IdentityStore& store) {
    const auto users = need(co_await store.users());
    co_return list_by_id(call, array_of(users, account_json));
}

awaitable<identity::Account> user_in_path(const Call& call, identity::IdentityStore& store) {
    const auto id = user_id_of(call.parameters.text("user_id"));
    const auto users = need(co_await store.users());
    const auto found = std::ranges::find_if(
        users, [&id](const identity::Account& account) { return account.user.id == id; });
    if (found == users.end()) throw Refused(404, "The user was not found.");
    co_return *found;
}

awaitable<Response> remove_user(const Call& call, identity::IdentityStore& store) {
    const auto id = user_id_of(call.parameters.text("user_id"));
    need(co_await store.remove_user(author_of(call), id));
    co_return empty_response(204);
}

awaitable<Response> create_user(const Call& call, identity::IdentityStore& store) {
    const auto user = need(co_await store.create_user(
        author_of(call), call.body.at("name").get<std::string>(), call.body.value("email", ""),
        call.body.value("is_admin", false)));
    co_return located(json_response(201, user_json(user)), "/v1/users/" + to_public(user.id));
}

awaitable<Response> update_user(const Call& call, identity::IdentityStore& store) {
    const auto id = user_id_of(call.parameters.text("user_id"));
    identity::UserChange change;
    if (const auto name = call.body.find("name"); name != call.body.end()) change.name = *name;
    if (const auto email = call.body.find("email"); email != call.body.end())
        change.email = email->is_null() ? "" : email->get<std::string>();
    if (const auto admin = call.body.find("is_admin"); admin != call.body.end())
        change.administrator = *admin;
    if (const auto disabled = call.body.find("disabled"); disabled != call.body.end())
        change.disabled = *disabled;
    const auto author = co_await editor_of(call, user_in_path(call, store), editable_account);
    need(co_await store.update_user(author, id, std::move(change)));
    const auto account = co_await user_in_path(call, store);
    co_return with_version(json_response(200, account_json(account)), editable_account(account));
}

awaitable<Response> create_link(const Call& call, identity::IdentityStore& store,
                                const Clock& clock) {
    const auto user = user_id_of(call.body.at("user_id").get_ref<const std::string&>());
    const auto team = team_id_of(call.body.at("team_id").get_ref<const std::string&>());
    const auto secret = identity::make_secret(identity::SecretKind::sign_in);
    const auto expires_at = clock.now() + kLinkLifetime;
    need(co_await store.create_sign_in_link(author_of(call), user, team, secret.hash, expires_at));
    co_return json_response(201, {{"path", "/#/sign-in/" + secret.text},
                                  {"sign_in_token", secret.text},
                                  {"expires_at", to_rfc3339(expires_at)}});
}

json provided_identity_json(const ProvidedIdentity& one) {
    return {{"id", to_public(one.id)},
            {"issuer", one.issuer},
            {"subject", one.subject},
            {"created_at", to_rfc3339(one.created_at)},
            {"last_used_at", to_rfc3339(one.last_used_at)}};
}

class UserIdentities {
  public:
    UserIdentities(identity::ProviderStore& store, identity::IdentityStore& people)
        : store_(store), people_(people) {}

    awaitable<Response> list(const Call& call) const {
        const auto found = co_await of_user(call);
        co_return list_by_id(call, array_of(found, provided_identity_json));
    }

    awaitable<Response> remove(const Call& call) const {
        const auto user = user_id_of(call.parameters.text("user_id"));
        const auto id = parse_id<IdentityId>("idn", call.parameters.text("identity_id"),
                                             "The identity was not found.");
        need(co_await store_.unlink(author_of(call), user, id));
        co_return empty_response(204);
    }

  private:
    awaitable<std::vector<ProvidedIdentity>> of_user(const Call& call) const {
        const auto user = user_id_of(call.parameters.text("user_id"));
        const auto users = need(co_await people_.users());
        const bool known = std::ranges::any_of(
            users, [&user](const auto& account) { return account.user.id == user; });
        if (!known) throw Refused(404, "The user was not found.");
        co_return need(co_await store_.identities(user));
    }

    identity::ProviderStore& store_;
    identity::IdentityStore& people_;
};

}  // namespace

void add_users(Handlers& handlers, identity::IdentityStore& store, const Clock& clock) {
    handlers["listUsers"] = [&store](const Call& call) { return list_users(call, store); };
    handlers["deleteUser"] = [&store](const Call& call) { return remove_user(call, store); };
    handlers["createUser"] = [&store](const Call& call) { return create_user(call, store); };
    handlers["updateUser"] = [&store](const Call& call) { return update_user(call, store); };
    handlers["createSignInLink"] = [&store, &clock](const Call& call) {
        return create_link(call, store, clock);
    };
}

void add_user_identities(Handlers& handlers, identity::ProviderStore& store,
                         identity::IdentityStore& people) {
    const Members on(handlers, std::make_shared<const UserIdentities>(store, people));
    on("listUserIdentities", &UserIdentities::list);
    on("deleteUserIdentity", &UserIdentities::remove);
}

}  // namespace plimsoll::http::endpoints
