#pragma once

#include "engine/base/result.hpp"
#include "server/base/id.hpp"

#include <optional>
#include <string>

#include <boost/asio/awaitable.hpp>

// Keeps the answers to calls with an Idempotency-Key, so that a repeated call makes nothing twice.
// Submits and runs of schedules have their keys in the transaction that makes the job; this is for
// the other calls: whoever repeats one whose server ended in the middle is told so, and looks.
// Implemented by server/postgres.
namespace plimsoll::queue {

struct KeptAnswer {
    int status = 0;
    std::string location;
    std::optional<std::string> body;  // nullopt: it holds a secret, which is not kept
};

class AnswerStore {
  public:
    virtual ~AnswerStore() = default;

    template <class T>
    using Answer = boost::asio::awaitable<Result<T>>;

    // nullopt: the key is the caller's now, who answers and then keeps or releases it. A value: the
    // answer of the first call. Errc::conflict: the key was used with another fingerprint;
    // Errc::cancelled: the first call has not answered.
    virtual Answer<std::optional<KeptAnswer>> reserve(TeamId team, std::string key,
                                                      std::string fingerprint) = 0;
    virtual Answer<void> keep(TeamId team, std::string key, KeptAnswer answer) = 0;
    virtual Answer<void> release(TeamId team, std::string key) = 0;
};

}  // namespace plimsoll::queue
