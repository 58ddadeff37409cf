#pragma once

#include "engine/base/result.hpp"
#include "server/base/awaitable.hpp"
#include "server/base/id.hpp"

#include <optional>
#include <string>

// Keeps the responses to calls with an Idempotency-Key, so that a repeated call creates nothing
// twice. Submissions and runs of schedules store their keys in the transaction that creates the
// job; this is for all other calls. If the server stopped in the middle of a call, a repeated one
// reports that, so that the caller can check. Implemented by server/postgres.
namespace plimsoll::teams {

struct StoredResponse {
    int status = 0;
    std::string location;
    std::optional<std::string> body;  // nullopt: it contains a secret, which is not kept
};

class IdempotencyStore {
  public:
    virtual ~IdempotencyStore() = default;

    template <class T>
    using Answer = awaitable<Result<T>>;

    // nullopt: the key is reserved for the caller, who responds and then keeps or releases it. A
    // value: the response of the first call. Errc::conflict: the key was used with another
    // fingerprint; Errc::cancelled: the first call has no response yet.
    virtual Answer<std::optional<StoredResponse>> reserve(TeamId team, std::string key,
                                                          std::string fingerprint) = 0;
    virtual Answer<void> keep(TeamId team, std::string key, StoredResponse answer) = 0;
    virtual Answer<void> release(TeamId team, std::string key) = 0;
};

}  // namespace plimsoll::teams
