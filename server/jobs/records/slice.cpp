#include "server/jobs/records/slice.hpp"

#include "engine/text/record_block.hpp"
#include "server/base/gzip.hpp"
#include "server/jobs/records/dataset.hpp"

#include <array>
#include <optional>
#include <utility>

namespace plimsoll::jobs {
namespace {

text::Record owned(const text::RecordView& view) {
    text::Record record;
    record.line = view.line;
    record.custom_id = view.custom_id;
    for (const auto attribute : text::kAttributes)
        record.attributes[attribute] = view.attributes[attribute];
    if (view.is_error) {
        record.error =
            text::RecordError{std::string(view.error_code), std::string(view.error_message)};
    } else {
        record.text = std::string(view.text);
    }
    return record;
}

}  // namespace

Result<std::string> cut_slice(std::string_view chunk, Slice slice) {
    if (slice.count == 1) return std::string(chunk);
    TRY(auto cut, cut_slices(chunk, std::array{slice.index}, slice.count));
    return std::move(cut.front());
}

Result<std::vector<std::string>> cut_slices(std::string_view chunk, std::span<const int> indices,
                                            int count) {
    TRY(const auto block, gunzip(chunk, kLargestBlock));
    TRY(auto reader, text::RecordBlockReader::open(block));
    const auto bound = [&](int index) { return std::int64_t{reader.count()} * index / count; };
    std::vector<std::string> slices;
    std::int64_t at = 0;
    for (const int index : indices) {
        const auto begin = bound(index);
        const auto end = bound(index + 1);
        std::optional<text::RecordBlockWriter> writer;
        for (; at < end; ++at) {
            TRY(const auto record, reader.next());
            if (at < begin) continue;
            if (!writer) writer.emplace(record->index);
            writer->add(owned(*record));
        }
        slices.push_back(gzip(writer ? writer->take() : text::RecordBlockWriter(0).take()));
    }
    return slices;
}

}  // namespace plimsoll::jobs
