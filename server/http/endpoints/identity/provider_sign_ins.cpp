// How a sign-in with the identity provider begins; it ends at the sessions. And how a user signs
// out there.
#include "server/http/access/authentication.hpp"
#include "server/http/access/cookies.hpp"
#include "server/http/endpoints/endpoints.hpp"
#include "server/http/endpoints/json_values.hpp"

namespace plimsoll::http::endpoints {

using boost::asio::awaitable;

namespace {

awaitable<Response> sign_in_methods(const ProviderService& service) {
    co_return json_response(200, {{"provider", text_or_null(service.name())}});
}

awaitable<Response> begin_provider_sign_in(const Call& call, ProviderService& service) {
    need(check_origin(call.request));
    auto begun = need(co_await service.begin(call.request));
    auto response = json_response(201, {{"authorization_url", begun.url}});
    response.with("Set-Cookie", begun.cookie);
    co_return response;
}

awaitable<Response> sign_out_at_provider(const Call& call, ProviderService& service) {
    need(check_origin(call.request));
    const auto url = need(co_await service.sign_out(call.request));
    auto response = json_response(200, {{"sign_out_url", text_or_null(url)}});
    response.with("Set-Cookie", expired_sign_out_cookie(call.request.secure));
    co_return response;
}

}  // namespace

void add_provider_sign_ins(Handlers& handlers, ProviderService& service) {
    handlers["getSignInMethods"] = [&service](const Call&) { return sign_in_methods(service); };
    handlers["createProviderSignIn"] = [&service](const Call& call) {
        return begin_provider_sign_in(call, service);
    };
    handlers["createProviderSignOut"] = [&service](const Call& call) {
        return sign_out_at_provider(call, service);
    };
}

}  // namespace plimsoll::http::endpoints
