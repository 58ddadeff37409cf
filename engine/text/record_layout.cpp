#include "engine/text/record_layout.hpp"

#include "engine/base/closest.hpp"
#include "engine/base/outside_json.hpp"
#include "engine/text/csv_fields.hpp"
#include "engine/text/record_reader.hpp"
#include "engine/text/utf8.hpp"

#include <algorithm>
#include <utility>

#include <nlohmann/json.hpp>

namespace plimsoll::text {
namespace {

Result<std::size_t> find_column(const std::vector<std::string>& header, std::string_view name,
                                std::string_view member) {
    const auto found = std::ranges::find(header, name);
    if (found == header.end()) {
        std::string message = "There is no column \"" + std::string(name) + "\"." +
                              did_you_mean(name, header) + " The columns are:";
        for (const std::string& column : header) {
            if (message.size() > 500) {
                message += " …";
                break;
            }
            message += " \"" + std::string(utf8_prefix(column, 100)) + "\"";
        }
        return fail(Errc::not_found, std::move(message), std::string(member));
    }
    if (std::ranges::count(header, name) > 1) {
        return fail(Errc::invalid_input,
                    "The column \"" + std::string(name) + "\" occurs more than once.",
                    std::string(member));
    }
    return static_cast<std::size_t>(found - header.begin());
}

// Of an ID that nobody named.
void drop_long(std::optional<std::string>& id, const ReaderLimits& limits) {
    const auto starts = [](char c) { return (c & 0xC0) != 0x80; };
    if (id && std::cmp_greater(std::ranges::count_if(*id, starts), limits.custom_id_characters))
        id.reset();
}

// Of a file without a header line.
bool reads_like_text(std::string_view name) {
    constexpr int kManyWords = 4;
    return std::ranges::count(name, ' ') >= kManyWords - 1;
}

Record failed(std::string_view code, std::string message) {
    Record record;
    record.error = RecordError{std::string(code), std::move(message)};
    return record;
}

Record without_text() { return failed(kEmptyText, "The text is null."); }

std::string not_utf8(const std::string& column) {
    return "The column \"" + column + "\" is not UTF-8.";
}

Record parse_csv(std::string_view raw, const RecordLayout& layout, const ReaderLimits& limits) {
    Record record;
    record.text = csv_field(raw, layout.text_position);
    if (record.text == "\\N") return without_text();  // as databases export it
    const auto read = [&](std::optional<std::size_t> position, std::optional<std::string>& into) {
        if (!position) return;
        // In CSV an empty cell is the only way to write "none".
        auto cell = csv_field(raw, *position);
        if (!cell.empty()) into = std::move(cell);
    };
    read(layout.custom_id_position, record.custom_id);
    if (layout.columns.custom_id == kPlainId) drop_long(record.custom_id, limits);
    for (const auto attribute : kColumnAttributes)
        read(layout.attribute_positions[attribute], record.attributes[attribute]);
    if (layout.keep_positions.empty()) return record;
    auto kept = nlohmann::ordered_json::object();
    for (std::size_t i = 0; i < layout.keep_positions.size(); ++i) {
        auto cell = csv_field(raw, layout.keep_positions[i]);
        if (find_invalid_utf8(cell))
            return failed("invalid_utf8", not_utf8(layout.columns.keep[i]));
        kept[layout.columns.keep[i]] = std::move(cell);
    }
    record.attributes[Attribute::kept] = kept.dump();
    return record;
}

// " It has: a, b." of as many as can be read.
std::string members_of(const nlohmann::json& object) {
    constexpr std::size_t kMost = 12, kLongest = 64;
    std::string names;
    std::size_t count = 0;
    for (const auto& [name, value] : object.items()) {
        if (++count > kMost) return " It has: " + names + ", ….";
        if (name.size() <= kLongest) names += (names.empty() ? "" : ", ") + name;
    }
    return names.empty() ? std::string() : " It has: " + names + ".";
}

Record parse_json(std::string_view raw, const RecordColumns& columns, const ReaderLimits& limits) {
    using nlohmann::json;
    json value = parse_outside_json(raw);
    Record record;
    if (value.is_string()) {
        record.text = std::move(value.get_ref<std::string&>());
        return record;
    }
    if (value.is_null()) return without_text();
    if (!value.is_object()) return failed("invalid_json", "This is not JSON in UTF-8.");
    const auto text = value.find(columns.text);
    if (text == value.end())
        return failed("missing_text",
                      "The object has no member \"" + columns.text + "\"." + members_of(value));
    if (text->is_null()) return without_text();
    if (!text->is_string())
        return failed("invalid_record", "The member \"" + columns.text + "\" is not a string.");
    record.text = std::move(text->get_ref<std::string&>());
    const auto read = [&](const std::string& name, std::optional<std::string>& into) {
        const auto member = name.empty() ? value.end() : value.find(name);
        if (member == value.end() || member->is_null()) return;
        if (member->is_string()) {
            into = member->get_ref<const std::string&>();
        } else if (member->is_number_integer()) {
            into = member->dump();
        } else if (!record.error) {
            record.error =
                RecordError{"invalid_record",
                            "The member \"" + name + "\" is neither a string nor an integer."};
        }
    };
    read(columns.custom_id, record.custom_id);
    const auto plain = value.find(kPlainId);
    const bool has_plain =
        plain != value.end() && (plain->is_string() || plain->is_number_integer());
    if (columns.custom_id == "custom_id" && !record.custom_id && has_plain) {
        read(std::string(kPlainId), record.custom_id);
        drop_long(record.custom_id, limits);
    }
    for (const auto attribute : kColumnAttributes)
        read(columns.attributes[attribute], record.attributes[attribute]);
    if (columns.keep.empty() || record.error) return record;
    auto kept = nlohmann::ordered_json::object();
    for (const auto& name : columns.keep) {
        const auto member = value.find(name);
        if (member == value.end() || member->is_null()) continue;
        if (member->is_structured()) {
            return failed("invalid_record",
                          "The member \"" + name + "\" is an array or an object.");
        }
        kept[name] = member->is_string() ? member->get<std::string>() : member->dump();
    }
    record.attributes[Attribute::kept] = kept.dump();
    return record;
}

}  // namespace

Result<RecordLayout> find_columns(RecordFormat format, const std::vector<std::string>& header,
                                  RecordColumns columns) {
    const auto has = [&](std::string_view name) { return std::ranges::count(header, name) != 0; };
    RecordLayout layout;
    layout.format = format;
    layout.columns = std::move(columns);
    auto& [text, custom_id, attributes, keep] = layout.columns;
    if (format == RecordFormat::json_lines) {
        if (text.empty()) text = "text";
        if (custom_id.empty()) custom_id = "custom_id";
        return layout;
    }
    const bool alone = text.empty() && header.size() == 1 && !has("text");
    if (alone && reads_like_text(header.front()))
        return fail(Errc::not_found,
                    "The only column is called \"" + std::string(utf8_prefix(header.front(), 100)) +
                        "\", which reads like a text",
                    "text");
    if (text.empty()) text = alone ? header.front() : "text";
    TRY(layout.text_position, find_column(header, text, "text"));
    if (custom_id.empty() && has("custom_id")) custom_id = "custom_id";
    if (custom_id.empty() && std::ranges::count(header, kPlainId) == 1) custom_id = kPlainId;
    const auto find = [&](std::string_view member, const std::string& name,
                          std::optional<std::size_t>& place) -> Result<void> {
        if (name.empty()) return {};
        TRY(place, find_column(header, name, member));
        return {};
    };
    TRY_DO(find("custom_id", custom_id, layout.custom_id_position));
    for (const auto attribute : kColumnAttributes) {
        TRY_DO(
            find(name_of(attribute), attributes[attribute], layout.attribute_positions[attribute]));
    }
    // In the order of the file, whatever that of the request.
    std::ranges::sort(keep, {}, [&](const std::string& name) {
        return std::ranges::find(header, name) - header.begin();
    });
    for (const auto& name : keep) {
        if (std::ranges::count(keep, name) > 1) {
            return fail(Errc::invalid_input, "The column \"" + name + "\" is listed twice.",
                        "keep");
        }
        TRY(const auto found, find_column(header, name, "keep"));
        layout.keep_positions.push_back(found);
    }
    return layout;
}

Record parse_record(std::string_view raw, const RecordLayout& layout, const ReaderLimits& limits) {
    auto record = layout.format == RecordFormat::csv ? parse_csv(raw, layout, limits)
                                                     : parse_json(raw, layout.columns, limits);
    if (!record.error) record.error = broken_rule(record, limits);
    if (record.error) {
        record.text.clear();
        record.custom_id.reset();
        record.attributes = {};
    }
    return record;
}

}  // namespace plimsoll::text
