#pragma once

#include "engine/base/result.hpp"
#include "engine/text/record.hpp"
#include "engine/text/record_scanner.hpp"

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace plimsoll::text {

// The ID of a file that has no custom_id: values that are no IDs, or are too long, are none.
inline constexpr std::string_view kPlainId = "id";

// The CSV columns, or JSON members, that hold the text and its attributes.
struct RecordColumns {
    std::string text;       // empty: "text", or the only column there is
    std::string custom_id;  // empty: "custom_id" or else "id", where there is one; see kPlainId
    Attributes<std::string> attributes = {};  // empty: none
    std::vector<std::string> keep = {};       // columns of the attribute `kept`

    static void members(auto& visit, auto& self) {
        visit("text", self.text);
        visit("custom_id", self.custom_id);
        for (const auto attribute : kColumnAttributes)
            visit(name_of(attribute), self.attributes[attribute]);
        visit("keep", self.keep);
    }
};

// RecordColumns resolved against a file's header.
struct RecordLayout {
    RecordFormat format = RecordFormat::csv;
    RecordColumns columns;  // named, unless there is none
    // Of CSV.
    std::size_t text_position = 0;
    std::optional<std::size_t> custom_id_position;
    Attributes<std::optional<std::size_t>> attribute_positions;
    std::vector<std::size_t> keep_positions;

    static void members(auto& visit, auto& self) {
        RecordColumns::members(visit, self.columns);
        visit("format", self.format);
        visit("text_position", self.text_position);
        visit("custom_id_position", self.custom_id_position);
        for (const auto attribute : kColumnAttributes) {
            visit(std::string(name_of(attribute)) + "_position",
                  self.attribute_positions[attribute]);
        }
        visit("keep_positions", self.keep_positions);
    }
};

// Errc::not_found if a column does not exist, Errc::invalid_input if its name occurs twice; `where`
// is the member of RecordColumns.
Result<RecordLayout> find_columns(RecordFormat format, const std::vector<std::string>& header,
                                  RecordColumns columns);

// Parses a raw record: a text with its ID, or an error in its place. Other members of a JSON object
// are ignored; a JSON string is a text without an ID.
Record parse_record(std::string_view raw, const RecordLayout& layout,
                    const ReaderLimits& limits = {});

}  // namespace plimsoll::text
