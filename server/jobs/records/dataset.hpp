#pragma once

#include "engine/base/result.hpp"
#include "engine/text/record_block.hpp"
#include "engine/text/record_layout.hpp"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

// Uploaded input: a CSV or JSON lines file, cut into chunks of whole records as it arrives.

namespace plimsoll::jobs {

inline constexpr std::int64_t kDatasetBytes = 512ll << 20;
inline constexpr std::int64_t kDatasetRecords = 1'000'000;
inline constexpr std::size_t kDatasetColumns = 1000;
inline constexpr std::size_t kDatasetHeaderBytes = 64 << 10;

// A chunk is the input of one task. It ends at the limit that it reaches first: about 20 to 50 ms
// of work on one core for short texts, and about 1 MiB even if texts do not compress.
inline constexpr std::size_t kChunkRecords = 8192;
inline constexpr std::size_t kChunkBytes = 960 * 1024;

// Far more than an unpacked chunk ever holds: a guard against corrupt data.
inline constexpr std::size_t kLargestBlock = 64 << 20;

struct DatasetChunk {
    std::string content;  // gzip of a text::RecordBlock whose texts are raw records
    std::int64_t first_record = 0;
    std::int64_t records = 0;
    std::int64_t failed = 0;  // records that are errors
    std::int64_t bytes = 0;   // of the raw records
};

// What a kind knows about a dataset when it plans a job on it.
struct DatasetShape {
    std::string id;    // public
    std::string name;  // usually the file name
    text::RecordFormat format = text::RecordFormat::csv;
    std::vector<std::string> columns;  // of JSON lines: the members of the first records
};

inline std::string_view to_string(text::RecordFormat format) {
    return format == text::RecordFormat::csv ? "csv" : "jsonl";
}
inline text::RecordFormat parse_format(std::string_view name) {
    return name == "csv" ? text::RecordFormat::csv : text::RecordFormat::json_lines;
}

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
