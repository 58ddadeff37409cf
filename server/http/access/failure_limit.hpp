#pragma once

#include "server/http/access/caller_limits.hpp"
#include "server/http/access/network.hpp"
#include "server/http/messages/limits.hpp"
#include "server/http/messages/problem.hpp"

#include <chrono>
#include <map>
#include <string>

namespace plimsoll::http {

// Slows down guessing: after `max` failures within `window`, the network of an address must wait
// until the window ends. Memory is bounded: failures from further addresses are not counted, which
// is safe because secrets are too long to guess. For the I/O thread.
class FailureLimit {
  public:
    using Clock = std::chrono::steady_clock;

    // `policy`: the limit's name in the RateLimit fields.
    FailureLimit(int max, std::chrono::seconds window, std::string policy)
        : max_(max), window_(window), policy_(std::move(policy)) {}

    // 429 with Retry-After and the RateLimit fields while an address must wait.
    Outcome<void> admit(const std::string& address, Clock::time_point now) const {
        const auto wait = wait_of(address, now);
        if (wait.count() == 0) return {};
        const auto seconds = std::to_string(wait.count());
        Problem problem(429, "Too many failed attempts. Try again in " + seconds + " seconds.");
        problem.headers = rate_limited(
            policy_, "q=" + std::to_string(max_) + ";w=" + std::to_string(window_.count()),
            wait.count());
        return tl::unexpected(std::move(problem));
    }

    // Counts a failed attempt with a secret that nobody can guess: its problem, or 429 once there
    // were too many. Valid secrets are served meanwhile, because a network may be shared.
    Problem refusal(const std::string& address, Clock::time_point now, Problem problem) {
        auto may = admit(address, now);
        failed(address, now);
        return may ? std::move(problem) : std::move(may.error());
    }

    // The remaining wait; zero: the address may try.
    std::chrono::seconds wait_of(const std::string& address, Clock::time_point now) const {
        const auto entry = entries_.find(network_of(address));
        if (entry == entries_.end() || entry->second.failures < max_ || entry->second.until <= now)
            return std::chrono::seconds(0);
        return std::chrono::ceil<std::chrono::seconds>(entry->second.until - now);
    }

    void failed(const std::string& address, Clock::time_point now) {
        forget_old(now);
        const auto network = network_of(address);
        if (entries_.size() >= limits::kFailingAddresses && !entries_.contains(network)) return;
        auto& entry = entries_[network];
        if (entry.until <= now) entry = {0, now + window_};
        ++entry.failures;
    }

  private:
    struct Entry {
        int failures = 0;
        Clock::time_point until;
    };

    void forget_old(Clock::time_point now) {
        if (now < forget_at_) return;
        forget_at_ = now + window_;
        std::erase_if(entries_, [now](const auto& entry) { return entry.second.until <= now; });
    }

    int max_;
    std::chrono::seconds window_;
    std::string policy_;
    std::map<std::string, Entry> entries_;
    Clock::time_point forget_at_;
};

}  // namespace plimsoll::http
