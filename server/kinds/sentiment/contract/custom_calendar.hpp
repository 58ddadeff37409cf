#pragma once

#include "engine/market/calendar.hpp"
#include "server/jobs/kind.hpp"

#include <string>

#include <nlohmann/json_fwd.hpp>

namespace plimsoll::jobs::sentiment {

// With regular trading at any time.
market::Calendar always_open();

// A SentimentCalendar that passed its schema; `where` is its pointer.
tl::expected<market::Calendar, FieldErrors> parse_custom_calendar(const nlohmann::json& given,
                                                                  const std::string& where);

}  // namespace plimsoll::jobs::sentiment
