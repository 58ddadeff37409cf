#pragma once

#include "engine/text/record_block.hpp"
#include "server/jobs/records/text_kind.hpp"

#include <string>
#include <string_view>

// Result rows of kinds whose items are texts.
namespace plimsoll::jobs {

// The beginning of every row: index, line and custom_id.
void append_identity(std::string& out, const text::RecordView& record);

// The row of an unreadable item: null in all columns but the error's.
void append_failed_text(std::string& out, const TextKind& kind, const text::RecordView& record);

// Rows for all items of a quarantined task, see Contract::failed_rows.
Result<std::string> failed_text_rows(const TextKind& kind, std::string_view args,
                                     std::string_view input, std::string_view reason);

}  // namespace plimsoll::jobs
