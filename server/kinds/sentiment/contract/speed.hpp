#pragma once

#include "server/jobs/kind.hpp"

#include <cstdint>
#include <span>
#include <string_view>

namespace plimsoll::jobs::sentiment {

// What it took to score the team's texts of recent days; see store/sentiment_speed.sql. By
// resident_name(); empty for VADER.
inline constexpr Collection kSpeeds{.name = "sentiment_speed", .completing = 1000};

struct Speed {
    double seconds_per_text = 0;
    std::int64_t texts = 0;  // that the seconds are the mean of; 0: none
};

Speed speed_of(std::span<const TeamRecord> speeds, std::string_view resident_name);

}  // namespace plimsoll::jobs::sentiment
