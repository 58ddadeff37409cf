#pragma once

#include "engine/base/result.hpp"
#include "engine/text/record_block.hpp"

#include <string>
#include <string_view>

namespace plimsoll::jobs::sentiment {

// The beginning of every row: index, line and custom_id.
void append_identity(std::string& out, const text::RecordView& record);

// The row of an item that could not be read.
void append_failed_row(std::string& out, const text::RecordView& record);

// Rows for all items of a task that was given up, see Contract::failed_rows.
Result<std::string> failed_rows(std::string_view args, std::string_view input,
                                std::string_view reason);

}  // namespace plimsoll::jobs::sentiment
