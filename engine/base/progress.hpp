#pragma once

#include <atomic>
#include <cstdint>

namespace plimsoll {

// Progress of a computation, counted in items (texts, symbols), never in tasks. Written by the
// computing thread, read by any thread: the heartbeat carries it, so a hung computation is noticed
// even while its process is alive.
class Progress {
  public:
    Progress() = default;
    // Progress of one part of a larger computation: its beats count for the whole, its
    // items do not. `whole` must outlive it.
    explicit Progress(Progress* whole) : whole_(whole) {}
    Progress(const Progress&) = delete;
    Progress& operator=(const Progress&) = delete;

    void set_total(std::int64_t items) { total_.store(items, std::memory_order_relaxed); }
    void advance(std::int64_t items) {
        done_.fetch_add(items, std::memory_order_relaxed);
        beat();
    }
    // Tokens that a model has read for the items.
    void count_tokens(std::int64_t tokens) { tokens_.fetch_add(tokens, std::memory_order_relaxed); }
    // Shows progress without a finished item: call at least once a second from long loops.
    void beat() {
        beats_.fetch_add(1, std::memory_order_relaxed);
        if (whole_ != nullptr) whole_->beat();
    }

    std::int64_t done() const { return done_.load(std::memory_order_relaxed); }
    std::int64_t total() const { return total_.load(std::memory_order_relaxed); }
    std::int64_t tokens() const { return tokens_.load(std::memory_order_relaxed); }
    std::uint64_t beats() const { return beats_.load(std::memory_order_relaxed); }

  private:
    Progress* whole_ = nullptr;
    std::atomic<std::int64_t> done_{0};
    std::atomic<std::int64_t> total_{0};
    std::atomic<std::int64_t> tokens_{0};
    std::atomic<std::uint64_t> beats_{0};
};

}  // namespace plimsoll
