#pragma once

#include <chrono>
#include <map>
#include <string>

namespace plimsoll::http {

// Slows down who guesses: after `most` failures within `window`, an address must wait until the
// window is over. For the I/O thread.
class FailureLimit {
  public:
    using Clock = std::chrono::steady_clock;

    FailureLimit(int most, std::chrono::seconds window) : most_(most), window_(window) {}

    // Zero: may try.
    std::chrono::seconds wait_of(const std::string& address, Clock::time_point now) const {
        const auto entry = entries_.find(address);
        if (entry == entries_.end() || entry->second.failures < most_ ||
            entry->second.until <= now) {
            return std::chrono::seconds(0);
        }
        return std::chrono::ceil<std::chrono::seconds>(entry->second.until - now);
    }

    void failed(const std::string& address, Clock::time_point now) {
        std::erase_if(entries_, [now](const auto& entry) { return entry.second.until <= now; });
        auto& entry = entries_[address];
        if (entry.failures++ == 0) entry.until = now + window_;
    }

  private:
    struct Entry {
        int failures = 0;
        Clock::time_point until;
    };
    int most_;
    std::chrono::seconds window_;
    std::map<std::string, Entry> entries_;
};

}  // namespace plimsoll::http
