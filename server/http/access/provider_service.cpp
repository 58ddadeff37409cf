#include "server/http/access/provider_service.hpp"

#include "server/base/log.hpp"
#include "server/http/access/authentication.hpp"
#include "server/http/access/network.hpp"
#include "server/oidc/encoding.hpp"

#include <utility>

namespace plimsoll::http {

namespace {

Problem no_provider() { return {404, "This server has no identity provider."}; }

// The same message for every reason.
Problem not_signed_in() {
    return {401, "The sign-in with the identity provider failed or took too long. Start again."};
}

Problem may_not() {
    return {403,
            "Your account may not sign in to this server. Ask a system admin, who can find the "
            "reason in the server's log."};
}

void log_refusal(const Request& request, std::string_view what, const std::string& reason) {
    log::warn(what, {{"request", request.id}, {"reason", reason}});
}

std::string named(const std::vector<std::string>& names) {
    std::string text;
    for (const auto& name : names) text += (text.empty() ? "" : ", ") + name;
    return text;
}

}  // namespace

ProviderService::ProviderService(identity::ProviderStore& store, identity::IdentityStore& people,
                                 const Clock& clock, std::unique_ptr<oidc::Provider> provider)
    : store_(store), people_(people), clock_(clock), provider_(std::move(provider)) {}

std::string ProviderService::name() const { return provider_ ? provider_->name() : std::string(); }

Outcome<FairBudget::Reservation> ProviderService::take_place(const Request& request) {
    if (auto place = places_.reserve({network_of(request.remote_address), {}}, 1))
        return std::move(*place);
    return tl::unexpected(overloaded("Too many sign-ins are in progress. Try again."));
}

awaitable<Result<std::string>> ProviderService::key() {
    if (key_.empty()) {
        CO_TRY(key_, co_await people_.cursor_key());
    }
    co_return key_;
}

awaitable<Outcome<ProviderService::Beginning>> ProviderService::begin(const Request& request) {
    if (!provider_) co_return tl::unexpected(no_provider());
    CO_TRY(const auto place, take_place(request));
    CO_TRY(const auto secret, co_await key());
    const auto attempt = oidc::begin_attempt(secret, clock_.now());
    auto url = co_await provider_->authorization_url(attempt);
    if (!url) {
        log_refusal(request, "identity provider is unusable", url.error().message);
        co_return tl::unexpected(overloaded("The identity provider is unavailable at the moment."));
    }
    co_return Beginning{std::move(*url),
                        sign_in_cookie(attempt.cookie, oidc::kAttemptLife, request.secure)};
}

awaitable<Outcome<oidc::Attempt>> ProviderService::attempt_of(const Request& request,
                                                              const std::string& state) {
    CO_TRY(const auto secret, co_await key());
    const auto cookie = request.cookie(sign_in_cookie_name(request.secure));
    auto attempt = oidc::continue_attempt(secret, cookie.value_or(""), clock_.now());
    if (!attempt || !oidc::same_text(attempt->state, state)) {
        log_refusal(request, "sign-in refused",
                    attempt ? "The state does not match this browser's."
                            : "This browser did not start a sign-in within the last ten minutes.");
        co_return tl::unexpected(not_signed_in());
    }
    CO_TRY(const auto fresh, co_await store_.spend_state(oidc::sha256(state), attempt->expires_at));
    if (!fresh) {
        log_refusal(request, "sign-in refused", "The response has already been used.");
        co_return tl::unexpected(not_signed_in());
    }
    co_return std::move(*attempt);
}

awaitable<Outcome<identity::NewSession>> ProviderService::admit(const Request& request,
                                                                identity::ProvidedUser user) {
    const auto who = "issuer " + user.issuer + ", subject " + user.subject;
    const auto admitted = co_await store_.sign_in(std::move(user), request.id);
    if (!admitted) {
        const auto& error = admitted.error();
        const bool policy = error.code == Errc::not_found || error.code == Errc::conflict ||
                            error.code == Errc::forbidden;
        if (!policy) co_return tl::unexpected<Problem>(error);
        log_refusal(request, "sign-in refused", error.message + " (" + who + ")");
        co_return tl::unexpected(may_not());
    }
    if (!admitted->unknown_teams.empty()) {
        log_refusal(request, "oidc.groups names teams that do not exist",
                    named(admitted->unknown_teams));
    }
    if (!admitted->ownerless_teams.empty()) {
        log_refusal(request, "kept the team's last owner despite oidc.groups",
                    named(admitted->ownerless_teams));
    }
    if (admitted->last_admin)
        log_refusal(request, "kept the last system admin despite oidc.admin_groups", who);
    co_return identity::NewSession{admitted->user, admitted->team, {}};
}

awaitable<Outcome<std::string>> ProviderService::sign_out(const Request& request) {
    const auto token = request.cookie(sign_out_cookie_name(request.secure));
    if (!provider_ || !provider_->signs_out() || !token || token->empty()) co_return std::string();
    CO_TRY(const auto place, take_place(request));
    auto url = co_await provider_->sign_out_url(std::string(*token == "-" ? "" : *token));
    if (url) co_return std::move(*url);
    log_refusal(request, "identity provider is unusable", url.error().message);
    co_return tl::unexpected(overloaded("The identity provider is unavailable at the moment."));
}

awaitable<Outcome<ProviderService::Ending>> ProviderService::end(const Request& request,
                                                                 oidc::Return returned,
                                                                 std::string state) {
    if (!provider_) co_return tl::unexpected(not_signed_in());
    CO_TRY(const auto place, take_place(request));
    CO_TRY(const auto attempt, co_await attempt_of(request, state));
    auto redeemed = co_await provider_->redeem(std::move(returned), attempt, clock_.now());
    if (redeemed) {
        CO_TRY(auto session, co_await admit(request, std::move(redeemed->user)));
        co_return Ending{std::move(session),
                         provider_->signs_out() ? std::move(redeemed->id_token) : std::string()};
    }
    const auto& error = redeemed.error();
    log_refusal(request, "sign-in refused", error.message);
    if (error.code == Errc::unavailable)
        co_return tl::unexpected(overloaded("The identity provider is unavailable at the moment."));
    co_return tl::unexpected(error.code == Errc::forbidden ? may_not() : not_signed_in());
}

}  // namespace plimsoll::http
