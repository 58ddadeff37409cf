// Identities of users at identity providers. For system admins.
#include "server/http/endpoints/author.hpp"
#include "server/http/endpoints/endpoints.hpp"
#include "server/http/endpoints/identity/identity_json.hpp"
#include "server/http/endpoints/json_values.hpp"
#include "server/http/endpoints/page.hpp"
#include "server/http/endpoints/query.hpp"
#include "server/identity/provider_store.hpp"

#include <algorithm>

namespace plimsoll::http::endpoints {

using boost::asio::awaitable;
using identity::IdentityId;
using identity::ProvidedIdentity;
using nlohmann::json;

namespace {

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

void add_user_identities(Handlers& handlers, identity::ProviderStore& store,
                         identity::IdentityStore& people) {
    const Members on(handlers, std::make_shared<const UserIdentities>(store, people));
    on("listUserIdentities", &UserIdentities::list);
    on("deleteUserIdentity", &UserIdentities::remove);
}

}  // namespace plimsoll::http::endpoints
