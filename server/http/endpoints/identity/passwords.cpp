// Passwords: the caller's own, and the links with which system admins let others set theirs.
#include "server/http/access/authentication.hpp"
#include "server/http/access/failure_limit.hpp"
#include "server/http/access/password_desk.hpp"
#include "server/http/endpoints/author.hpp"
#include "server/http/endpoints/endpoints.hpp"
#include "server/http/endpoints/identity/identity_json.hpp"
#include "server/http/endpoints/json_values.hpp"
#include "server/identity/secret.hpp"

namespace plimsoll::http::endpoints {

using boost::asio::awaitable;
using identity::PasswordStore;
using nlohmann::json;

namespace {

constexpr std::chrono::hours kPasswordLinkLifetime{24};

class Passwords {
  public:
    Passwords(PasswordStore& store, PasswordDesk& desk, const Clock& clock)
        : store_(store), desk_(desk), clock_(clock) {}

    awaitable<Outcome<Response>> get(const Call& call) {
        const auto changed_at = co_await store_.changed_at(call.principal.user.id);
        if (!changed_at) co_return tl::unexpected<Problem>(changed_at.error());
        co_return json_response(200, {{"is_set", changed_at->has_value()},
                                      {"changed_at", time_or_null(*changed_at)},
                                      {"min_length", desk_.min_length()}});
    }

    awaitable<Outcome<Response>> change(const Call& call) {
        if (call.principal.user.service || !has_all_scopes(call.principal)) {
            co_return refuse(403,
                             "Only a session, or a token with all scopes of its user, can change "
                             "the password.");
        }
        const auto& address = call.request.remote_address;
        std::string present;
        if (const auto given = call.body.find("present_password"); given != call.body.end()) {
            auto attempt =
                co_await desk_.check(call.principal.user.id, given->get<std::string>(), address);
            if (!attempt && attempt.error().status == 401) {
                // A 401 would say that the session has ended.
                co_return tl::unexpected<Problem>(Error{
                    Errc::invalid_input, "is not your current password", "/present_password"});
            }
            if (!attempt) co_return tl::unexpected(attempt.error());
            present = attempt->hash;
        } else {
            const auto changed_at = co_await store_.changed_at(call.principal.user.id);
            if (!changed_at) co_return tl::unexpected<Problem>(changed_at.error());
            if (*changed_at) {
                co_return tl::unexpected<Problem>(Error{Errc::invalid_input,
                                                        "is required to change the password",
                                                        "/present_password"});
            }
        }
        auto hash =
            co_await desk_.hash(call.body.at("password").get<std::string>(), "/password", address);
        if (!hash) co_return tl::unexpected(hash.error());
        const auto changed = co_await store_.change(author_of(call), std::move(*hash),
                                                    std::move(present), call.principal.session);
        if (!changed) co_return tl::unexpected<Problem>(changed.error());
        co_return empty_response(204);
    }

    awaitable<Outcome<Response>> create_link(const Call& call) {
        const auto user = user_id_of(call.body.at("user_id").get_ref<const std::string&>());
        if (!user) co_return tl::unexpected(user.error());
        const auto secret = identity::make_secret(identity::SecretKind::password_link);
        const auto expires_at = clock_.now() + kPasswordLinkLifetime;
        const auto created =
            co_await store_.create_link(author_of(call), *user, secret.hash, expires_at);
        if (!created) co_return tl::unexpected<Problem>(created.error());
        co_return json_response(201, {{"path", "/#/set-password/" + secret.text},
                                      {"password_token", secret.text},
                                      {"expires_at", to_rfc3339(expires_at)}});
    }

    awaitable<Outcome<Response>> spend_link(const Call& call) {
        if (auto own = check_origin(call.request); !own) co_return tl::unexpected(own.error());
        const auto& address = call.request.remote_address;
        const auto now = FailureLimit::Clock::now();
        if (auto may = limit_.admit(address, now); !may) co_return tl::unexpected(may.error());
        const auto link =
            identity::hash_secret(identity::SecretKind::password_link,
                                  call.body.at("password_token").get_ref<const std::string&>());
        if (!link) {
            limit_.failed(address, now);
            co_return refuse(401, "This link is invalid or has expired.");
        }
        auto hash =
            co_await desk_.hash(call.body.at("password").get<std::string>(), "/password", address);
        if (!hash) co_return tl::unexpected(hash.error());
        const auto spent = co_await store_.spend_link(*link, std::move(*hash));
        if (spent) co_return empty_response(204);
        if (spent.error().code == Errc::unauthenticated) limit_.failed(address, now);
        co_return tl::unexpected<Problem>(spent.error());
    }

  private:
    PasswordStore& store_;
    PasswordDesk& desk_;
    const Clock& clock_;
    FailureLimit limit_{limits::kFailedSignIns, limits::kFailureWindow, "failed-password-links"};
};

}  // namespace

void add_passwords(Handlers& handlers, PasswordStore& store, PasswordDesk& desk,
                   const Clock& clock) {
    const auto passwords = std::make_shared<Passwords>(store, desk, clock);
    handlers["getMyPassword"] = [passwords](const Call& call) { return passwords->get(call); };
    handlers["setMyPassword"] = [passwords](const Call& call) { return passwords->change(call); };
    handlers["createPasswordLink"] = [passwords](const Call& call) {
        return passwords->create_link(call);
    };
    handlers["spendPasswordLink"] = [passwords](const Call& call) {
        return passwords->spend_link(call);
    };
}

}  // namespace plimsoll::http::endpoints
