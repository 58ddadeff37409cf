#pragma once

#include "server/jobs/kind.hpp"

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace plimsoll::jobs {

// Replaces Contract::failed_rows if the task's input has been deleted, such as a dataset after the
// job ended: JSON lines with the items' index, the error_code "input_deleted" and an error that
// names the reason; null in all other columns.
std::string rows_without_input(std::span<const Column> columns, std::int64_t first_item,
                               std::int64_t items, std::string_view reason);

}  // namespace plimsoll::jobs
