#include "engine/text/json_lines_reader.hpp"

#include "engine/text/record_rules.hpp"

#include <utility>

#include <nlohmann/json.hpp>

namespace plimsoll::text {

JsonLinesReader::JsonLinesReader(RecordColumns columns, ReaderLimits limits)
    : columns_(std::move(columns)), limits_(limits) {
    if (columns_.text.empty()) columns_.text = "text";
    if (columns_.custom_id.empty()) columns_.custom_id = "custom_id";
}

Result<void> JsonLinesReader::feed(std::string_view bytes, const RecordSink& sink) {
    const auto content = mark_.feed(bytes);
    if (!content) return fail(content.error());
    take(content->held, sink);
    take(content->rest, sink);
    return {};
}

Result<void> JsonLinesReader::finish(const RecordSink& sink) {
    take(mark_.finish(), sink);
    end_line({}, sink);
    return {};
}

void JsonLinesReader::take(std::string_view bytes, const RecordSink& sink) {
    while (!bytes.empty()) {
        const std::size_t end = bytes.find('\n');
        if (end == std::string_view::npos) return hold(bytes);
        end_line(bytes.substr(0, end), sink);
        ++line_;
        bytes.remove_prefix(end + 1);
    }
}

void JsonLinesReader::hold(std::string_view part) {
    if (overlong_ || partial_.size() + part.size() > limits_.record_bytes) {
        overlong_ = true;
        partial_.clear();
    } else {
        partial_.append(part);
    }
}

void JsonLinesReader::end_line(std::string_view line, const RecordSink& sink) {
    if (!partial_.empty() || overlong_ || line.size() > limits_.record_bytes) {
        hold(line);
        line = partial_;
    }
    if (overlong_) {
        sink(failed_record(
            line_, "too_large",
            "the line has more than " + std::to_string(limits_.record_bytes) + " bytes."));
    } else if (line.find_first_not_of(" \t\r") != std::string_view::npos) {
        sink(parse(line));
    }
    partial_.clear();
    overlong_ = false;
}

ReadRecord JsonLinesReader::parse(std::string_view line) const {
    using nlohmann::json;
    const json value = json::parse(line, nullptr, false);
    Record record;
    if (value.is_string()) {
        record.text = value.get_ref<const std::string&>();
        return checked_record(std::move(record), line_, limits_);
    }
    if (value.is_discarded()) {
        return failed_record(line_, "invalid_json", "this is not JSON in UTF-8.");
    }
    if (!value.is_object()) {
        return failed_record(line_, "invalid_record", "neither a JSON string nor an object.");
    }
    const auto text = value.find(columns_.text);
    if (text == value.end()) {
        return failed_record(line_, "missing_text",
                             "the object has no member \"" + columns_.text + "\".");
    }
    if (!text->is_string()) {
        return failed_record(line_, "invalid_record",
                             "the member \"" + columns_.text + "\" is not a string.");
    }
    record.text = text->get_ref<const std::string&>();
    if (const auto id = value.find(columns_.custom_id); id != value.end() && !id->is_null()) {
        if (id->is_string()) {
            record.custom_id = id->get_ref<const std::string&>();
        } else if (id->is_number_integer()) {
            record.custom_id = id->dump();
        } else {
            return failed_record(
                line_, "invalid_record",
                "the member \"" + columns_.custom_id + "\" is neither a string nor an integer.");
        }
    }
    return checked_record(std::move(record), line_, limits_);
}

}  // namespace plimsoll::text
