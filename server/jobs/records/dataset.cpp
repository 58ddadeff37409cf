#include "server/jobs/records/dataset.hpp"

#include "engine/base/json.hpp"
#include "engine/base/outside_json.hpp"
#include "engine/text/csv_fields.hpp"
#include "engine/text/utf8.hpp"
#include "server/base/gzip.hpp"

namespace plimsoll::jobs {
namespace {

std::string cut(const std::string& text, std::size_t characters) {
    std::size_t end = 0;
    for (; characters > 0 && end < text.size(); --characters)
        end += text::decode_utf8(text, end).length;
    return end < text.size() ? text.substr(0, end) + "…" : text;
}

std::optional<std::string> member(const json& record, const std::string& column) {
    if (record.is_string())
        return column == "text" ? std::optional(record.get<std::string>()) : std::nullopt;
    const auto found = record.find(column);
    if (found == record.end() || found->is_null()) return std::nullopt;
    return found->is_string() ? found->get<std::string>() : found->dump();
}

}  // namespace

Result<void> read_chunk(std::string_view content,
                        const std::function<bool(const text::RecordView&)>& take) {
    TRY(const auto block, gunzip(content, kLargestBlock));
    TRY(auto reader, text::RecordBlockReader::open(block));
    while (true) {
        TRY(const auto record, reader.next());
        if (!record || !take(*record)) return {};
    }
}

std::vector<std::optional<std::string>> preview_cells(std::string_view raw,
                                                      text::RecordFormat format,
                                                      const std::vector<std::string>& columns,
                                                      std::size_t characters) {
    std::vector<std::optional<std::string>> cells;
    cells.reserve(columns.size());
    if (format == text::RecordFormat::csv) {
        for (const std::string& field : text::csv_fields(raw))
            cells.emplace_back(cut(field, characters));
        return cells;
    }
    const json record = parse_outside_json(raw);
    for (const std::string& column : columns) {
        auto cell = member(record, column);
        if (cell) cell = cut(*cell, characters);
        cells.push_back(std::move(cell));
    }
    return cells;
}

}  // namespace plimsoll::jobs
