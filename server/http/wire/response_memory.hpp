#pragma once

#include "server/http/wire/listener_state.hpp"

#include <algorithm>
#include <utility>

namespace plimsoll::http {

// The memory of one connection's response, charged to the caller until the client has read it.
class ResponseMemory {
  public:
    explicit ResponseMemory(ListenerState& state) : state_(state) {}

    void charge(FairBudget::Holder holder) { holder_ = std::move(holder); }

    // False: there is no memory for so many bytes. Where a caller's, a team's or the whole share is
    // used up, the slowest reader with a response of that share makes room.
    bool hold(std::size_t bytes) {
        if (bytes <= limits::kSmallResponseBytes) return true;
        freed_ += bytes;
        if (!held_) held_.emplace(state_.responses.open(holder_));
        const auto amount = std::min(bytes, limits::kResponses.caller);
        while (!held_->grow_to(amount)) {
            const auto share = held_->lacking(amount);
            const auto stalled = std::chrono::steady_clock::now() - limits::kStalledReader;
            const bool made_room = state_.close_longest_waiting([&](const OpenConnection& other) {
                const auto* holder = other.response_holder();
                return holder != nullptr && FairBudget::shares(share, *holder, holder_) &&
                       *other.waiting_since() <= stalled;
            });
            if (!made_room) return false;
        }
        return true;
    }

    // Null: it holds nothing.
    const FairBudget::Holder* holder() const { return held_ ? &held_->holder() : nullptr; }

    // The connection is closing, and the response will be freed.
    void forget() { held_.reset(); }

    // The response has been freed.
    void release() {
        held_.reset();
        state_.freed_response_bytes += std::exchange(freed_, 0);
        if (state_.freed_response_bytes < limits::kFreedResponseBytes) return;
        state_.freed_response_bytes = 0;
        state_.application.memory_freed();
    }

  private:
    ListenerState& state_;
    FairBudget::Holder holder_;
    std::optional<FairBudget::Reservation> held_;
    std::size_t freed_ = 0;  // bytes, once the response is sent
};

}  // namespace plimsoll::http
