#pragma once

#include "engine/text/record_block.hpp"
#include "server/jobs/records/text_args.hpp"

#include <string>
#include <string_view>

// Result rows of kinds whose items are texts.
namespace plimsoll::jobs {

// The beginning of every row: index, line and custom_id.
void append_identity(std::string& out, const text::RecordView& record);

// The row of an unreadable item: null in all columns but the error's.
void append_failed_text(std::string& out, const TextKind& kind, const text::RecordView& record);

// Contract::failed_rows of a kind: rows for all items of a quarantined task.
Result<std::string> failed_text_rows(const TextKind& kind, std::string_view args,
                                     std::string_view input, std::string_view reason);
template <const TextKind& kind>
Result<std::string> failed_text_rows(std::string_view args, std::string_view input,
                                     std::string_view reason) {
    return failed_text_rows(kind, args, input, reason);
}

}  // namespace plimsoll::jobs
