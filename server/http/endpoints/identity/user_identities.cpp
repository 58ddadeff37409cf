// Identities of users at identity providers. For system admins.
#include "server/http/endpoints/author.hpp"
#include "server/http/endpoints/endpoints.hpp"
#include "server/http/endpoints/identity/identity_json.hpp"
#include "server/http/endpoints/page.hpp"
#include "server/identity/provider_store.hpp"

#include <algorithm>

namespace plimsoll::http::endpoints {

using boost::asio::awaitable;
using identity::IdentityId;
using identity::ProvidedIdentity;
using nlohmann::json;

namespace {

constexpr std::string_view kNoIdentity = "The identity was not found.";

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

    awaitable<Outcome<Response>> list(const Call& call) const {
        const auto found = co_await of_user(call);
        if (!found) co_return tl::unexpected(found.error());
        auto items = json::array();
        for (const auto& one : *found) items.push_back(provided_identity_json(one));
        co_return list_by_id(call, std::move(items));
    }

    awaitable<Outcome<Response>> get(const Call& call) const {
        const auto found = co_await of_user(call);
        if (!found) co_return tl::unexpected(found.error());
        const auto id = id_in_path(call);
        const auto one =
            std::ranges::find_if(*found, [&id](const auto& identity) { return identity.id == id; });
        if (one == found->end()) co_return refuse(404, std::string(kNoIdentity));
        co_return json_response(200, provided_identity_json(*one));
    }

    awaitable<Outcome<Response>> remove(const Call& call) const {
        const auto user = user_id_of(call.parameters.text("user_id").value_or(""));
        if (!user) co_return tl::unexpected(user.error());
        const auto id = id_in_path(call);
        if (!id) co_return refuse(404, std::string(kNoIdentity));
        const auto removed = co_await store_.unlink(author_of(call), *user, *id);
        if (!removed) co_return tl::unexpected<Problem>(removed.error());
        co_return empty_response(204);
    }

  private:
    static std::optional<IdentityId> id_in_path(const Call& call) {
        const auto id = parse_public_id("idn", call.parameters.text("identity_id").value_or(""));
        return id ? std::optional(IdentityId{*id}) : std::nullopt;
    }

    awaitable<Outcome<std::vector<ProvidedIdentity>>> of_user(const Call& call) const {
        const auto user = user_id_of(call.parameters.text("user_id").value_or(""));
        if (!user) co_return tl::unexpected(user.error());
        const auto users = co_await people_.users();
        if (!users) co_return tl::unexpected<Problem>(users.error());
        const bool known = std::ranges::any_of(
            *users, [&user](const auto& account) { return account.user.id == *user; });
        if (!known) co_return refuse(404, "The user was not found.");
        const auto found = co_await store_.identities(*user);
        if (!found) co_return tl::unexpected<Problem>(found.error());
        co_return *found;
    }

    identity::ProviderStore& store_;
    identity::IdentityStore& people_;
};

}  // namespace

void add_user_identities(Handlers& handlers, identity::ProviderStore& store,
                         identity::IdentityStore& people) {
    const auto identities = std::make_shared<const UserIdentities>(store, people);
    handlers["listUserIdentities"] = [identities](const Call& call) {
        return identities->list(call);
    };
    handlers["getUserIdentity"] = [identities](const Call& call) { return identities->get(call); };
    handlers["deleteUserIdentity"] = [identities](const Call& call) {
        return identities->remove(call);
    };
}

}  // namespace plimsoll::http::endpoints
