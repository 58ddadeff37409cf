// Uploaded CSV and JSON lines: the records depend neither on the pieces in which the file arrives
// nor on whether another process continues.
#include "engine/text/record_block.hpp"
#include "server/base/gzip.hpp"
#include "server/jobs/records/dataset_cutter.hpp"
#include "tests/fuzz/parsers/targets.hpp"

#include <algorithm>
#include <string>
#include <vector>

namespace plimsoll::fuzz {

using jobs::DatasetCutter;

namespace {

struct Cut {
    bool whole = false;
    std::int64_t failed = 0;
    std::vector<std::string> columns;
    std::vector<std::string> records = {};

    bool operator==(const Cut&) const = default;
};

// `piece`: bytes fed at a time; 0: all. `moves`: each piece by a cutter that resumes from the last
// one's state.
Cut cut(text::RecordFormat format, std::string_view bytes, std::size_t piece, bool moves) {
    DatasetCutter cutter(format);
    std::vector<jobs::DatasetChunk> chunks;
    bool good = true;
    for (auto rest = bytes; good && !rest.empty();) {
        const auto part = rest.substr(0, piece == 0 ? rest.size() : piece);
        rest.remove_prefix(part.size());
        good = cutter.feed(part, chunks).has_value();
        if (!moves || !good) continue;
        auto resumed = DatasetCutter::resume(format, cutter.state());
        ensure(resumed.has_value());
        cutter = std::move(*resumed);
    }
    good = good && cutter.finish(chunks).has_value();
    Cut result;
    if (!good) return result;
    result = {true, cutter.failed(), cutter.columns()};
    for (const auto& chunk : chunks) {
        const auto content = gunzip(chunk.content, jobs::kLargestBlock);
        ensure(content.has_value());
        auto reader = text::RecordBlockReader::open(*content);
        ensure(reader.has_value());
        for (auto next = reader->next();; next = reader->next()) {
            ensure(next.has_value());
            if (!*next) break;
            const auto& record = **next;
            result.records.push_back(std::to_string(record.line) + ' ' + std::string(record.text) +
                                     std::string(record.error_message));
        }
    }
    return result;
}

}  // namespace

// The first byte chooses the format, the second the pieces.
void give_records(std::string_view bytes) {
    if (bytes.size() < 2) return;
    const auto format =
        bytes[0] % 2 == 0 ? text::RecordFormat::csv : text::RecordFormat::json_lines;
    const std::size_t piece = static_cast<unsigned char>(bytes[1]) % 16 + 1u;
    bytes.remove_prefix(2);
    const auto whole = cut(format, bytes, 0, false);
    ensure(cut(format, bytes, piece, false) == whole);
    ensure(cut(format, bytes, std::max<std::size_t>(piece, bytes.size() / 8), true) == whole);
    // As if it were the state of another server's cutter.
    static_cast<void>(DatasetCutter::resume(format, bytes));
}

}  // namespace plimsoll::fuzz
