#pragma once

#include "server/oidc/attempt.hpp"
#include "server/oidc/discovery.hpp"
#include "server/oidc/id_token.hpp"
#include "server/oidc/mapping.hpp"

#include <memory>
#include <optional>
#include <string>

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/steady_timer.hpp>

namespace plimsoll::oidc {

// How this installation is registered with the provider.
struct Client {
    std::string issuer;
    std::string id;
    std::string secret;  // may be empty: a public client
    std::string redirect_uri;
    std::string scopes;     // separated by spaces
    std::string name;       // of the provider, for people
    bool sign_out = false;  // also there
};

// Who has signed in, and the ID token, which tells the provider later who signs out.
struct Redeemed {
    identity::ProvidedUser user;
    std::string id_token;
};

struct Registration {
    Client client;
    Admission admission;
    Calls calls;
};

// The provider's response as the browser brought it.
struct Return {
    std::string code;
    std::string issuer;  // "iss"; may be empty
};

// An OpenID Connect provider: the authorization code flow with PKCE. Its metadata and keys are kept
// for an hour, and read again when a token names an unknown key. Single-threaded.
class Provider {
  public:
    static constexpr std::chrono::hours kKept{1};
    // Minimum time between two readings caused by tokens with unknown keys.
    static constexpr std::chrono::seconds kBetweenReadings{10};
    // Minimum time from a failed reading to the next.
    static constexpr std::chrono::seconds kAfterFailure{5};

    Provider(const boost::asio::any_io_executor& executor, Registration registration);

    const std::string& name() const { return client_.name; }
    const std::string& issuer() const { return client_.issuer; }

    // Where the browser goes to sign in.
    awaitable<Result<std::string>> authorization_url(const Attempt& attempt);

    // Redeems the code and checks who it is. Messages are for the operator's log.
    // Errc::unavailable: the provider; Errc::forbidden: the rules for users; else the sign-in is
    // invalid.
    awaitable<Result<Redeemed>> redeem(Return returned, const Attempt& attempt, Timestamp now);

    bool signs_out() const { return client_.sign_out; }
    // Where the browser goes to end its session at the provider (RP-initiated logout); empty: the
    // provider has no such page. `id_token` may be empty: then the provider asks the user.
    awaitable<Result<std::string>> sign_out_url(const std::string& id_token);

  private:
    using Instant = std::chrono::steady_clock::time_point;
    struct Known {
        Discovered about;
        std::vector<Key> keys;
        Instant read_at;
    };
    using KnownOrError = Result<std::shared_ptr<const Known>>;
    struct Tokens {
        std::string id;
        std::string access;
    };

    // Not read before `since`.
    awaitable<KnownOrError> known(Instant since);
    awaitable<KnownOrError> read() const;
    awaitable<Result<std::string>> document(std::string url) const;
    awaitable<Result<Tokens>> redeemed(const Discovered& about, const std::string& code,
                                       const std::string& verifier) const;
    awaitable<Result<nlohmann::json>> claims(const Tokens& tokens, const Attempt& attempt,
                                             Timestamp now);
    // Adds what the ID token omits.
    awaitable<Result<void>> complete(nlohmann::json& claims, const Discovered& about,
                                     const std::string& access_token) const;

    const Client client_;
    const Admission admission_;
    const Calls calls_;
    std::shared_ptr<const Known> known_;
    std::optional<Error> failure_;  // of the last reading
    Instant failed_at_;
    bool reading_ = false;
    boost::asio::steady_timer read_;  // cancelled when a reading ends
};

}  // namespace plimsoll::oidc
