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

// Hands out the raw records of a chunk, in order, until `take` returns false. A view lives until it
// returns. Errc::corrupt when the chunk is damaged.
Result<void> read_chunk(std::string_view content,
                        const std::function<bool(const text::RecordView&)>& take);

// What a raw record holds in the given columns, for people: a text each, cut to `characters`, and
// nothing where a JSON object lacks the member. Values that are not texts are shown as JSON. A line
// of JSON that is a string alone stands in the column "text".
std::vector<std::optional<std::string>> preview_cells(std::string_view raw,
                                                      text::RecordFormat format,
                                                      const std::vector<std::string>& columns,
                                                      std::size_t characters);

}  // namespace plimsoll::jobs
