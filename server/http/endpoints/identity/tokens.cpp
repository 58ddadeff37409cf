// API tokens of the caller's team.
#include "engine/base/json.hpp"
#include "server/http/access/authentication.hpp"
#include "server/http/endpoints/edits.hpp"
#include "server/http/endpoints/endpoints.hpp"
#include "server/http/endpoints/identity/identity_json.hpp"
#include "server/http/endpoints/json_values.hpp"
#include "server/http/endpoints/page.hpp"
#include "server/http/endpoints/query.hpp"
#include "server/identity/secret.hpp"

#include <algorithm>

namespace plimsoll::http::endpoints {

namespace {

constexpr std::size_t kHintLength =
    12;  // "plm_api_" and four more characters: identifies a token without revealing it

Response token_response(const identity::Token& token) {
    return with_version(json_response(200, token_json(token)), editable_token(token));
}

class Tokens {
  public:
    Tokens(identity::IdentityStore& store, const Clock& clock) : store_(store), clock_(clock) {}

    awaitable<Response> list(const Call& call) const {
        require_all_scopes(call);
        const auto tokens = need(co_await visible(call));
        co_return list_by_id(call, array_of(tokens, token_json));
    }

    awaitable<Response> create(const Call& call) const {
        require_all_scopes(call);
        auto token = new_token(call);
        if (call.body.contains("service_account_id"))
            token = co_await for_account(call, std::move(token));
        const auto secret = identity::make_secret(identity::SecretKind::token);
        token.hint = secret.text.substr(0, kHintLength);
        const identity::TokenOrigin origin{call.principal.token, call.principal.session};
        const auto created = need(
            co_await store_.create_token(author_of(call), std::move(token), secret.hash, origin));
        co_return located(
            json_response(201, {{"token", token_json(created)}, {"secret", secret.text}}),
            "/v1/tokens/" + to_public(created.id));
    }

    awaitable<Response> rename(const Call& call) const {
        auto token = co_await named(call);
        const auto author = editor_of(call, editable_token(token));
        token.name = call.body.at("name").get<std::string>();
        need(co_await store_.rename_token(author, token.id, token.name));
        co_return token_response(token);
    }

    awaitable<Response> revoke(const Call& call) const {
        const auto& own = call.principal.token;
        if (call.parameters.text("token_id") == "current" && !own)
            throw Refused(404, "This request uses a session, not a token.");
        if (own && token_id_of(call) == *own) co_return co_await end(call, *own);
        const auto token = co_await named(call);
        co_return co_await end(call, token.id);
    }

  private:
    static std::optional<TokenId> token_id_of(const Call& call) {
        const auto text = call.parameters.text("token_id").value_or("");
        if (text == "current") return call.principal.token;
        const auto id = parse_public_id("tok", text);
        return id ? std::optional(TokenId{*id}) : std::nullopt;
    }

    // The token in the path, if the caller may manage it.
    awaitable<identity::Token> named(const Call& call) const {
        require_all_scopes(call);
        const auto tokens = need(co_await visible(call));
        const auto found = std::ranges::find_if(
            tokens, [&](const identity::Token& token) { return token.id == token_id_of(call); });
        if (found == tokens.end()) throw Refused(404, "The token was not found.");
        co_return *found;
    }

    // Makes the token one of the service account that the body names.
    awaitable<identity::Token> for_account(const Call& call, identity::Token token) const {
        if (!has_scope(call.principal, "team:admin"))
            throw Refused(403, "Creating tokens for service accounts needs the scope team:admin.");
        const auto accounts = need(co_await store_.service_accounts(call.principal.team.id));
        const auto& wanted = call.body.at("service_account_id").get_ref<const std::string&>();
        const auto found = std::ranges::find_if(accounts, [&](const identity::Member& account) {
            return to_public(account.user.id) == wanted;
        });
        if (found == accounts.end()) {
            throw Refused(
                invalid_member("/service_account_id", "is not a service account of the team"));
        }
        token.user = found->user.id;
        token.user_name = found->user.name;
        co_return token;
    }

    awaitable<Response> end(const Call& call, TokenId id) const {
        need(co_await store_.revoke_token(author_of(call), id));
        co_return empty_response(204);
    }

    // A token with some of its user's rights must not revoke or create others.
    static void require_all_scopes(const Call& call) {
        if (has_all_scopes(call.principal)) return;
        throw Refused(403,
                      "Only a session, or a token with all scopes of its user, can manage tokens.");
    }

    awaitable<Result<std::vector<identity::Token>>> visible(const Call& call) const {
        const bool all = has_scope(call.principal, "team:admin");
        const auto user = all ? std::nullopt : std::optional(call.principal.user.id);
        co_return co_await store_.tokens(call.principal.team.id, user);
    }

    identity::Token new_token(const Call& call) const {
        identity::Token token;
        token.user = call.principal.user.id;
        token.user_name = call.principal.user.name;
        token.name = call.body.at("name").get<std::string>();
        const auto own = scopes_of(call.principal);
        const auto& wanted = call.body.at("scopes");
        for (std::size_t i = 0; i < wanted.size(); ++i) {
            const auto& scope = wanted[i].get_ref<const std::string&>();
            if (!own.contains(scope)) {
                throw Refused(invalid_member("/scopes/" + std::to_string(i),
                                             "is a scope that you do not have"));
            }
            token.scopes.insert(scope);
        }
        const auto& end = call.principal.expires_at;
        token.expires_at = end;
        if (call.body.contains("expires_at")) {
            token.expires_at = parse_rfc3339(call.body["expires_at"].get_ref<const std::string&>());
            if (!token.expires_at || *token.expires_at <= clock_.now()) {
                throw Refused(
                    invalid_member("/expires_at", "must be an RFC 3339 time in the future"));
            }
            if (end && *token.expires_at > *end) {
                throw Refused(invalid_member(
                    "/expires_at",
                    "is later than " + to_rfc3339(*end) + ", when the requesting token expires"));
            }
        }
        return token;
    }

    identity::IdentityStore& store_;
    const Clock& clock_;
};

}  // namespace

void add_tokens(Handlers& handlers, identity::IdentityStore& store, const Clock& clock) {
    const Members on(handlers, std::make_shared<const Tokens>(store, clock));
    on("listTokens", &Tokens::list);
    on("createToken", &Tokens::create);
    on("updateToken", &Tokens::rename);
    on("deleteToken", &Tokens::revoke);
}

}  // namespace plimsoll::http::endpoints
