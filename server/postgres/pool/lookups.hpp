#pragma once

#include "server/postgres/pool/pool.hpp"
#include "server/postgres/pool/rounds.hpp"
#include "server/postgres/pool/scope.hpp"

#include <map>
#include <set>

namespace plimsoll::postgres {

// Batched look-ups by key: each round queries every distinct key once.
template <class Key, class Value>
class Lookups : public Rounds<Key, Value> {
  public:
    // `pool` outlives this.
    Lookups(asio::any_io_executor executor, Pool& pool)
        : Rounds<Key, Value>(std::move(executor),
                             // A caller waits for the round in progress and for its own.
                             {.calls = 256,
                              .weight = 256,
                              .waiting_calls = 10'000,
                              .waiting_weight = 10'000,
                              .patience = 2 * kCallTimeout + std::chrono::seconds(1)}),
          pool_(pool) {}

  protected:
    using typename Rounds<Key, Value>::Round;

    virtual Batch question(const std::set<Key>& keys) const = 0;
    virtual std::map<Key, Value> read(const std::set<Key>& keys, const Replies& replies) const = 0;
    // The error for a missing key.
    virtual Error missing() const = 0;

  private:
    std::size_t weigh(const Key&) const override { return 1; }

    awaitable<void> run(Round round) override {
        std::set<Key> keys;
        for (const auto& call : round) keys.insert(call->asked);
        const auto replies = co_await pool_.run(question(keys), kCallTimeout);
        if (!replies) {
            for (const auto& call : round) this->answer(*call, fail(replies.error()));
            co_return;
        }
        const auto found = read(keys, *replies);
        for (const auto& call : round) {
            const auto at = found.find(call->asked);
            this->answer(*call, at == found.end() ? Result<Value>(fail(missing())) : at->second);
        }
    }

    Pool& pool_;
};

}  // namespace plimsoll::postgres
