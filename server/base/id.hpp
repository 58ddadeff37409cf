#pragma once

#include <compare>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace plimsoll {

// Database ids with distinct types, so that a team id cannot be passed for a user id. Outside the
// process they are strings with a prefix ("job_0d7k…"); see `public_id`.
template <class Tag>
struct Id {
    std::int64_t value = 0;
    auto operator<=>(const Id&) const = default;
};

using JobId =
    Id<struct JobTag>;  // the job's creation day is its upper bits, see migrations/README.md
using DatasetId = Id<struct DatasetTag>;
using TeamId = Id<struct TeamTag>;
using UserId = Id<struct UserTag>;
using TokenId = Id<struct TokenTag>;
using SessionId = Id<struct SessionTag>;

// "<prefix>_" and 13 digits of Crockford's base 32, lower case: fixed length, sortable as text,
// safe in URLs and for JavaScript, which rounds integers above 2^53.
std::string public_id(std::string_view prefix, std::int64_t value);

// Parses a public id; nullopt if the prefix, the length or a digit is wrong.
std::optional<std::int64_t> parse_public_id(std::string_view prefix, std::string_view text);

inline std::string to_public(JobId id) { return public_id("job", id.value); }
inline std::string to_public(DatasetId id) { return public_id("data", id.value); }
inline std::string to_public(TeamId id) { return public_id("team", id.value); }
inline std::string to_public(UserId id) { return public_id("user", id.value); }
inline std::string to_public(TokenId id) { return public_id("tok", id.value); }
inline std::string to_public(SessionId id) { return public_id("sess", id.value); }

}  // namespace plimsoll
