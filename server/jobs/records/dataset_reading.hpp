#pragma once

#include "engine/base/result.hpp"
#include "engine/text/record_block.hpp"
#include "server/jobs/records/dataset.hpp"

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace plimsoll::jobs {

// Hands out the raw records of a chunk, in order, until `take` returns false. A view is valid until
// `take` returns. Errc::corrupt if the chunk is damaged.
Result<void> read_chunk(std::string_view content,
                        const std::function<bool(const text::RecordView&)>& take);

// A raw record's values in the given columns, for display: one text each, truncated to
// `characters`, or nothing if a JSON object lacks the member. Other values are shown as JSON. A
// JSON line that is just a string is the column "text".
std::vector<std::optional<std::string>> preview_cells(std::string_view raw,
                                                      text::RecordFormat format,
                                                      const std::vector<std::string>& columns,
                                                      std::size_t characters);

}  // namespace plimsoll::jobs
