#include "engine/text/record_reader.hpp"

#include "engine/text/utf8.hpp"

#include <algorithm>
#include <cctype>
#include <string>
#include <utility>

namespace plimsoll::text {
namespace {

std::size_t characters(std::string_view text) {
    return static_cast<std::size_t>(
        std::ranges::count_if(text, [](char c) { return (c & 0xC0) != 0x80; }));
}

// "The text is …" becomes "Line 7: the text is …".
std::string at_line(std::uint64_t line, std::string message) {
    message.front() = static_cast<char>(std::tolower(static_cast<unsigned char>(message.front())));
    return "Line " + std::to_string(line) + ": " + message;
}

}  // namespace

RawRecord failed_raw_record(std::uint64_t line, std::string_view code, std::string_view message) {
    return {{},
            line,
            RecordError{std::string(code),
                        "Line " + std::to_string(line) + ": " + std::string(message)}};
}

std::optional<RecordError> broken_rule(const Record& record, const ReaderLimits& limits) {
    if (find_invalid_utf8(record.text))
        return RecordError{"invalid_utf8", "The text is not UTF-8."};
    if (const auto& kept = record.attributes[Attribute::kept];
        kept && kept->size() > limits.kept_bytes) {
        return RecordError{"invalid_record", "The kept columns have more than " +
                                                 std::to_string(limits.kept_bytes) + " bytes."};
    }
    for (const auto attribute : kColumnAttributes) {
        const auto& value = record.attributes[attribute];
        if (!value) continue;
        const auto name = "The " + std::string(name_of(attribute));
        if (find_invalid_utf8(*value)) return RecordError{"invalid_utf8", name + " is not UTF-8."};
        if (characters(*value) > limits.custom_id_characters) {
            return RecordError{"invalid_record", name + " has more than " +
                                                     std::to_string(limits.custom_id_characters) +
                                                     " characters."};
        }
    }
    if (!record.custom_id) return std::nullopt;
    if (find_invalid_utf8(*record.custom_id))
        return RecordError{"invalid_utf8", "The custom_id is not UTF-8."};
    if (characters(*record.custom_id) > limits.custom_id_characters) {
        return RecordError{"custom_id_too_long", "The custom_id has more than " +
                                                     std::to_string(limits.custom_id_characters) +
                                                     " characters."};
    }
    return std::nullopt;
}

RecordReader::RecordReader(RecordFormat format, RecordColumns columns, ReaderLimits limits)
    : format_(format),
      columns_(std::move(columns)),
      limits_(limits),
      scanner_(make_record_scanner(format, limits)) {}

Result<void> RecordReader::feed(std::string_view bytes, const RecordSink& sink) {
    auto fed = scanner_->feed(bytes, [&](const RawRecord& raw) { take(raw, sink); });
    if (!fed) return fed;
    return find_layout();
}

Result<void> RecordReader::finish(const RecordSink& sink) {
    auto ended = scanner_->finish([&](const RawRecord& raw) { take(raw, sink); });
    if (!ended) return ended;
    return find_layout();
}

Result<void> RecordReader::find_layout() {
    const bool known = format_ == RecordFormat::json_lines || !header().empty();
    if (known && !layout_ && !broken_) {
        auto found = find_columns(format_, header(), columns_);
        if (found)
            layout_ = std::move(*found);
        else
            broken_ = std::move(found.error());
    }
    if (broken_) return fail(*broken_);
    return {};
}

void RecordReader::take(const RawRecord& raw, const RecordSink& sink) {
    if (!find_layout()) return;  // reported at the end of the piece
    ReadRecord read;
    read.line = raw.line;
    if (raw.error) {
        read.record.error = raw.error;
    } else {
        read.record = parse_record(raw.bytes, *layout_, limits_);
        if (read.record.error)
            read.record.error->message = at_line(raw.line, std::move(read.record.error->message));
    }
    sink(std::move(read));
}

}  // namespace plimsoll::text
