#include "server/oidc/id_token.hpp"

#include "server/oidc/encoding.hpp"
#include "server/oidc/json_text.hpp"

#include <algorithm>
#include <cmath>
#include <optional>

namespace plimsoll::oidc {
namespace {

using nlohmann::json;

constexpr std::size_t kMostSubject = 255;  // characters, as OpenID Connect Core 2 says

tl::unexpected<Error> wrong(std::string why) {
    return fail(Errc::corrupt, "The ID token " + std::move(why) + ".");
}

// Seconds since 1970; nullopt: absent, or no time.
std::optional<double> time_of(const json& claims, const char* name) {
    const auto found = claims.find(name);
    if (found == claims.end() || !found->is_number()) return std::nullopt;
    const auto seconds = found->get<double>();
    return std::isfinite(seconds) ? std::optional(seconds) : std::nullopt;
}

Result<json> part(std::string_view text, const char* what) {
    const auto bytes = from_base64url(text);
    auto parsed = bytes ? json::parse(*bytes, nullptr, false) : json();
    if (!parsed.is_object()) return wrong(std::string("has a malformed ") + what);
    return parsed;
}

bool may_have_signed(const Key& key, const SignedToken& token) {
    return key.algorithm == token.algorithm && (token.key_id.empty() || key.id == token.key_id);
}

bool is_for(const json& audience, const std::string& client) {
    if (audience.is_string()) return audience.get_ref<const std::string&>() == client;
    return audience.is_array() &&
           std::ranges::any_of(audience, [&](const json& one) { return one == client; });
}

Result<void> check_parties(const json& claims, const Expectation& expected) {
    if (text_in(claims, "iss") != expected.issuer) return wrong("is from another issuer");
    const auto audience = claims.find("aud");
    if (audience == claims.end() || !is_for(*audience, expected.client_id)) {
        return wrong("is for another client");
    }
    const bool for_many = audience->is_array() && audience->size() > 1;
    if ((for_many || claims.contains("azp")) && text_in(claims, "azp") != expected.client_id) {
        return wrong("was issued to another client");
    }
    const auto subject = text_in(claims, "sub");
    if (subject.empty() || subject.size() > kMostSubject ||
        subject.find('\0') != std::string::npos) {
        return wrong("names no user");
    }
    return {};
}

Result<void> check_times(const json& claims, Timestamp at) {
    const double now = std::chrono::duration<double>(at.time_since_epoch()).count();
    const auto skew = static_cast<double>(kClockSkew.count());
    const auto expires = time_of(claims, "exp");
    if (!expires) return wrong("has no expiry");
    if (*expires <= now - skew) return wrong("has expired");
    const auto issued = time_of(claims, "iat");
    if (!issued) return wrong("does not say when it was issued");
    if (*issued > now + skew) return wrong("was issued in the future: compare the clocks");
    if (!claims.contains("nbf")) return {};
    const auto begins = time_of(claims, "nbf");
    if (!begins || *begins > now + skew) return wrong("is not valid yet: compare the clocks");
    return {};
}

}  // namespace

Result<SignedToken> read_token(std::string_view token) {
    const auto first = token.find('.');
    const auto last = token.rfind('.');
    if (first == std::string_view::npos || first == last || token.find('.', first + 1) != last) {
        return wrong("does not have three parts");
    }
    const auto header = part(token.substr(0, first), "header");
    if (!header) return fail(header.error());
    SignedToken read;
    const auto algorithm = text_in(*header, "alg");
    if (algorithm == "RS256") {
        read.algorithm = Algorithm::rs256;
    } else if (algorithm == "ES256") {
        read.algorithm = Algorithm::es256;
    } else {
        return wrong("is signed with an algorithm other than RS256 and ES256");
    }
    // An extension that must be understood, and is not.
    if (header->contains("crit")) return wrong("has a critical extension");
    read.key_id = text_in(*header, "kid");
    auto claims = part(token.substr(first + 1, last - first - 1), "content");
    if (!claims) return fail(claims.error());
    read.claims = std::move(*claims);
    read.message = token.substr(0, last);
    auto signature = from_base64url(token.substr(last + 1));
    if (!signature || signature->empty()) return wrong("has a malformed signature");
    read.signature = std::move(*signature);
    return read;
}

bool has_key(const std::vector<Key>& keys, const SignedToken& token) {
    return std::ranges::any_of(keys, [&](const Key& key) { return may_have_signed(key, token); });
}

Result<void> check_id_token(const SignedToken& token, const std::vector<Key>& keys,
                            const Expectation& expected) {
    if (!has_key(keys, token)) return wrong("is signed with a key that the provider does not list");
    if (!std::ranges::any_of(keys, [&](const Key& key) {
            return may_have_signed(key, token) && verifies(key, token.message, token.signature);
        })) {
        return wrong("has an invalid signature");
    }
    if (auto good = check_parties(token.claims, expected); !good) return good;
    if (auto good = check_times(token.claims, expected.now); !good) return good;
    if (expected.nonce.empty() || !same_text(text_in(token.claims, "nonce"), expected.nonce)) {
        return wrong("belongs to another sign-in: the nonce differs");
    }
    if (token.claims.contains("at_hash")) {
        const auto half = sha256(expected.access_token).substr(0, 16);
        if (text_in(token.claims, "at_hash") != to_base64url(half)) {
            return wrong("belongs to another access token");
        }
    }
    return {};
}

}  // namespace plimsoll::oidc
