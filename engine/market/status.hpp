#pragma once

#include <optional>
#include <string_view>

namespace plimsoll::market {

enum class Status { pre_market, regular, after_hours, closed };

std::string_view to_string(Status status);
std::optional<Status> parse_status(std::string_view name);

}  // namespace plimsoll::market
