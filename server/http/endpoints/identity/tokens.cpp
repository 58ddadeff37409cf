// API tokens of the caller's team.
#include "server/http/access/authentication.hpp"
#include "server/http/endpoints/author.hpp"
#include "server/http/endpoints/edits.hpp"
#include "server/http/endpoints/endpoints.hpp"
#include "server/http/endpoints/identity/identity_json.hpp"
#include "server/http/endpoints/page.hpp"
#include "server/identity/secret.hpp"

#include <algorithm>

namespace plimsoll::http::endpoints {

using boost::asio::awaitable;
using nlohmann::json;

namespace {

constexpr std::size_t kHintLength =
    12;  // "plm_api_" and four more characters: identifies a token without revealing it

Problem invalid(std::string pointer, const std::string& detail) {
    Problem problem(422, "The body is invalid in 1 place.");
    problem.errors.push_back({std::move(pointer), {}, detail});
    return problem;
}

Response token_response(const identity::Token& token) {
    return with_version(json_response(200, token_json(token)), editable_token(token));
}

class Tokens {
  public:
    Tokens(identity::IdentityStore& store, const Clock& clock) : store_(store), clock_(clock) {}

    awaitable<Outcome<Response>> list(const Call& call) const {
        if (auto may = require_all_scopes(call); !may) co_return tl::unexpected(may.error());
        const auto tokens = co_await visible(call);
        if (!tokens) co_return tl::unexpected<Problem>(tokens.error());
        auto items = json::array();
        for (const auto& token : *tokens) items.push_back(token_json(token));
        co_return list_by_id(call, std::move(items));
    }

    awaitable<Outcome<Response>> create(const Call& call) const {
        if (auto may = require_all_scopes(call); !may) co_return tl::unexpected(may.error());
        auto token = new_token(call);
        if (token && call.body.contains("service_account_id")) {
            token = co_await for_account(call, std::move(*token));
        }
        if (!token) co_return tl::unexpected(token.error());
        const auto secret = identity::make_secret(identity::SecretKind::token);
        token->hint = secret.text.substr(0, kHintLength);
        const auto origin = origin_of(call, *token);
        const auto created =
            co_await store_.create_token(author_of(call), std::move(*token), secret.hash, origin);
        if (!created) co_return tl::unexpected<Problem>(created.error());
        auto response =
            json_response(201, {{"token", token_json(*created)}, {"secret", secret.text}});
        response.with("Location", "/v1/tokens/" + to_public(created->id));
        co_return response;
    }

    awaitable<Outcome<Response>> get(const Call& call) const {
        const auto token = co_await named(call);
        if (!token) co_return tl::unexpected(token.error());
        co_return token_response(*token);
    }

    awaitable<Outcome<Response>> rename(const Call& call) const {
        auto token = co_await named(call);
        if (!token) co_return tl::unexpected(token.error());
        const auto author = editor_of(call, editable_token(*token));
        if (!author) co_return tl::unexpected(author.error());
        token->name = call.body.at("name").get<std::string>();
        const auto renamed = co_await store_.rename_token(*author, token->id, token->name);
        if (!renamed) co_return tl::unexpected<Problem>(renamed.error());
        co_return token_response(*token);
    }

    awaitable<Outcome<Response>> revoke(const Call& call) const {
        const auto& own = call.principal.token;
        if (call.parameters.text("token_id") == "current" && !own) {
            co_return refuse(404, "This request uses a session, not a token.");
        }
        if (own && token_id_of(call) == *own) co_return co_await end(call, *own);
        const auto token = co_await named(call);
        if (!token) co_return tl::unexpected(token.error());
        co_return co_await end(call, token->id);
    }

  private:
    static std::optional<TokenId> token_id_of(const Call& call) {
        const auto text = call.parameters.text("token_id").value_or("");
        if (text == "current") return call.principal.token;
        const auto id = parse_public_id("tok", text);
        return id ? std::optional(TokenId{*id}) : std::nullopt;
    }

    // The token in the path, if the caller may manage it.
    awaitable<Outcome<identity::Token>> named(const Call& call) const {
        if (auto may = require_all_scopes(call); !may) co_return tl::unexpected(may.error());
        const auto tokens = co_await visible(call);
        if (!tokens) co_return tl::unexpected<Problem>(tokens.error());
        const auto found = std::ranges::find_if(
            *tokens, [&](const identity::Token& token) { return token.id == token_id_of(call); });
        if (found == tokens->end()) co_return refuse(404, "The token was not found.");
        co_return *found;
    }

    // A service account stays when the creator of its token leaves, so its tokens depend on no
    // other token.
    static identity::TokenOrigin origin_of(const Call& call, const identity::Token& token) {
        if (token.user != call.principal.user.id) return {};
        return {call.principal.token, call.principal.session};
    }

    // Makes the token one of the service account that the body names.
    awaitable<Outcome<identity::Token>> for_account(const Call& call, identity::Token token) const {
        if (!has_scope(call.principal, "team:admin")) {
            co_return refuse(403,
                             "Creating tokens for service accounts needs the scope team:admin.");
        }
        const auto accounts = co_await store_.service_accounts(call.principal.team.id);
        if (!accounts) co_return tl::unexpected<Problem>(accounts.error());
        const auto& wanted = call.body.at("service_account_id").get_ref<const std::string&>();
        const auto found = std::ranges::find_if(*accounts, [&](const identity::Member& account) {
            return to_public(account.user.id) == wanted;
        });
        if (found == accounts->end()) {
            co_return tl::unexpected(
                invalid("/service_account_id", "is not a service account of the team"));
        }
        token.user = found->user.id;
        token.user_name = found->user.name;
        co_return token;
    }

    awaitable<Outcome<Response>> end(const Call& call, TokenId id) const {
        const auto revoked = co_await store_.revoke_token(author_of(call), id);
        if (!revoked) co_return tl::unexpected<Problem>(revoked.error());
        co_return empty_response(204);
    }

    // A token with some of its user's rights must not revoke or create others.
    static Outcome<void> require_all_scopes(const Call& call) {
        if (has_all_scopes(call.principal)) return {};
        return refuse(403,
                      "Only a session, or a token with all scopes of its user, can manage tokens.");
    }

    awaitable<Result<std::vector<identity::Token>>> visible(const Call& call) const {
        const bool all = has_scope(call.principal, "team:admin");
        const auto user = all ? std::nullopt : std::optional(call.principal.user.id);
        co_return co_await store_.tokens(call.principal.team.id, user);
    }

    Outcome<identity::Token> new_token(const Call& call) const {
        identity::Token token;
        token.user = call.principal.user.id;
        token.user_name = call.principal.user.name;
        token.name = call.body.at("name").get<std::string>();
        const auto own = scopes_of(call.principal);
        const auto& wanted = call.body.at("scopes");
        for (std::size_t i = 0; i < wanted.size(); ++i) {
            const auto& scope = wanted[i].get_ref<const std::string&>();
            if (!own.contains(scope)) {
                return tl::unexpected(
                    invalid("/scopes/" + std::to_string(i), "is a scope that you do not have"));
            }
            token.scopes.insert(scope);
        }
        const auto& end = call.principal.expires_at;
        token.expires_at = end;
        if (call.body.contains("expires_at")) {
            token.expires_at = parse_rfc3339(call.body["expires_at"].get_ref<const std::string&>());
            if (!token.expires_at || *token.expires_at <= clock_.now()) {
                return tl::unexpected(
                    invalid("/expires_at", "must be an RFC 3339 time in the future"));
            }
            if (end && *token.expires_at > *end) {
                return tl::unexpected(invalid(
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
    const auto tokens = std::make_shared<const Tokens>(store, clock);
    handlers["listTokens"] = [tokens](const Call& call) { return tokens->list(call); };
    handlers["createToken"] = [tokens](const Call& call) { return tokens->create(call); };
    handlers["getToken"] = [tokens](const Call& call) { return tokens->get(call); };
    handlers["updateToken"] = [tokens](const Call& call) { return tokens->rename(call); };
    handlers["deleteToken"] = [tokens](const Call& call) { return tokens->revoke(call); };
}

}  // namespace plimsoll::http::endpoints
