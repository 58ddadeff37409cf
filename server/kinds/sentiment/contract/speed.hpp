#pragma once

#include "engine/base/members.hpp"
#include "server/jobs/kind.hpp"

#include <algorithm>
#include <cstdint>
#include <span>
#include <string_view>

namespace plimsoll::jobs::sentiment {

// What it took to score the team's texts of recent days; see store/sentiment_speed.sql. By
// resident_name(); empty for VADER.
inline constexpr Collection kSpeeds{.name = "sentiment_speed", .planning = 1000};

struct Speed {
    double seconds = 0;
    std::int64_t texts = 0;  // 0: none

    double seconds_per_text() const { return seconds / static_cast<double>(texts); }

    static void members(auto& visit, auto& self) {
        visit("seconds", self.seconds);
        visit("texts", self.texts);
    }
};

inline Speed speed_of(std::span<const TeamRecord> speeds, std::string_view resident_name) {
    const auto found = std::ranges::find(speeds, resident_name, &TeamRecord::id);
    return found == speeds.end() ? Speed() : from_text<Speed>(found->data).value();
}

}  // namespace plimsoll::jobs::sentiment
