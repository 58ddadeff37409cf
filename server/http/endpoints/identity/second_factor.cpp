// The second factor at sign-in with a password: the caller's own, and how system admins remove one.
#include "server/http/access/authentication.hpp"
#include "server/http/access/password_desk.hpp"
#include "server/http/endpoints/author.hpp"
#include "server/http/endpoints/endpoints.hpp"
#include "server/http/endpoints/identity/identity_json.hpp"
#include "server/http/endpoints/json_values.hpp"
#include "server/identity/totp.hpp"

namespace plimsoll::http::endpoints {

using boost::asio::awaitable;
using identity::PasswordStore;
using nlohmann::json;

namespace {

// A 401 would say that the session has ended.
Problem at_member(Problem problem, const char* pointer, const char* detail) {
    if (problem.status != 401) return problem;
    return Error{Errc::invalid_input, detail, pointer};
}

Outcome<void> check_owner(const Call& call) {
    if (!call.principal.user.service && has_all_scopes(call.principal)) return {};
    return refuse(403,
                  "Only a session, or a token with all scopes of its user, can change the second "
                  "factor.");
}

class SecondFactors {
  public:
    SecondFactors(PasswordStore& store, PasswordDesk& desk) : store_(store), desk_(desk) {}

    awaitable<Outcome<Response>> get(const Call& call) {
        const auto factor = co_await store_.second_factor(call.principal.user.id);
        if (!factor) co_return tl::unexpected<Problem>(factor.error());
        const auto confirmed_at = *factor ? (*factor)->confirmed_at : std::nullopt;
        co_return json_response(200,
                                {{"is_set", confirmed_at.has_value()},
                                 {"confirmed_at", time_or_null(confirmed_at)},
                                 {"recovery_codes_left", *factor ? (*factor)->codes_left : 0}});
    }

    awaitable<Outcome<Response>> offer(const Call& call) {
        if (auto may = check_owner(call); !may) co_return tl::unexpected(may.error());
        const auto& user = call.principal.user;
        const auto attempt =
            co_await desk_.check(user.id, call.body.at("present_password").get<std::string>(),
                                 call.request.remote_address);
        if (!attempt) {
            co_return tl::unexpected(
                at_member(attempt.error(), "/present_password", "is not your current password"));
        }
        const auto secret = identity::make_code_secret();
        if (auto done = co_await store_.offer_second_factor(user.id, secret); !done) {
            co_return tl::unexpected<Problem>(done.error());
        }
        co_return json_response(
            200,
            {{"secret", identity::to_base32(secret)},
             {"uri", identity::code_uri(secret, user.email.empty() ? user.name : user.email)}});
    }

    awaitable<Outcome<Response>> confirm(const Call& call) {
        if (auto may = check_owner(call); !may) co_return tl::unexpected(may.error());
        const auto factor = co_await store_.second_factor(call.principal.user.id);
        if (!factor) co_return tl::unexpected<Problem>(factor.error());
        if (!*factor) co_return refuse(404, "Start setting up a second factor first.");
        const auto step =
            identity::match_code((*factor)->secret, call.body.at("code").get<std::string>(),
                                 (*factor)->now, (*factor)->last_step);
        if (!step) {
            co_return tl::unexpected<Problem>(Error{
                Errc::invalid_input,
                "is not the current code: check the clock of the device that shows it", "/code"});
        }
        const auto codes = identity::make_recovery_codes();
        std::vector<std::string> hashes;
        auto texts = json::array();
        for (const auto& code : codes) {
            hashes.push_back(code.hash);
            texts.push_back(code.text);
        }
        const auto done = co_await store_.confirm_second_factor(author_of(call), (*factor)->secret,
                                                                *step, std::move(hashes));
        if (!done) co_return tl::unexpected<Problem>(done.error());
        co_return json_response(200, {{"recovery_codes", std::move(texts)}});
    }

    awaitable<Outcome<Response>> remove(const Call& call) {
        if (auto may = check_owner(call); !may) co_return tl::unexpected(may.error());
        const auto user = call.principal.user.id;
        const auto right = co_await desk_.check_code(user, call.body.at("code").get<std::string>(),
                                                     call.request.remote_address);
        if (!right) {
            co_return tl::unexpected(at_member(
                right.error(), "/code",
                "is wrong or has already been used: enter the app's next code, or another recovery "
                "code"));
        }
        const auto done = co_await store_.remove_second_factor(author_of(call), user);
        if (!done) co_return tl::unexpected<Problem>(done.error());
        co_return empty_response(204);
    }

    awaitable<Outcome<Response>> reset(const Call& call) {
        const auto user = user_id_of(call.parameters.text("user_id").value_or(""));
        if (!user) co_return tl::unexpected(user.error());
        const auto done = co_await store_.remove_second_factor(author_of(call), *user);
        if (!done) co_return tl::unexpected<Problem>(done.error());
        co_return empty_response(204);
    }

  private:
    PasswordStore& store_;
    PasswordDesk& desk_;
};

}  // namespace

void add_second_factor(Handlers& handlers, PasswordStore& store, PasswordDesk& desk) {
    const auto factors = std::make_shared<SecondFactors>(store, desk);
    handlers["getMySecondFactor"] = [factors](const Call& call) { return factors->get(call); };
    handlers["offerMySecondFactor"] = [factors](const Call& call) { return factors->offer(call); };
    handlers["confirmMySecondFactor"] = [factors](const Call& call) {
        return factors->confirm(call);
    };
    handlers["removeMySecondFactor"] = [factors](const Call& call) {
        return factors->remove(call);
    };
    handlers["deleteUserSecondFactor"] = [factors](const Call& call) {
        return factors->reset(call);
    };
}

}  // namespace plimsoll::http::endpoints
