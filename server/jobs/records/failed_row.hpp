#pragma once

#include "server/jobs/kind.hpp"

#include <span>
#include <string_view>

#include <nlohmann/json.hpp>

namespace plimsoll::jobs {

// A row of Contract::failed_rows for a kind that needs no further columns: the error_code
// "quarantined" and the reason, null in all other columns.
nlohmann::json failed_row(std::span<const Column> columns, std::string_view reason);

}  // namespace plimsoll::jobs
