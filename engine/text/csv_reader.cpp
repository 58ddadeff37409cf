#include "engine/text/csv_reader.hpp"

#include "engine/text/record_rules.hpp"
#include "engine/text/utf8.hpp"

#include <algorithm>
#include <array>
#include <utility>

namespace plimsoll::text {
namespace {

constexpr std::uint8_t kEndsUnquoted = 1;
constexpr std::uint8_t kEndsQuoted = 2;
constexpr auto kEnds = [] {
    std::array<std::uint8_t, 256> table{};
    table[','] = table['\r'] = kEndsUnquoted;
    table['"'] = kEndsQuoted;
    table['\n'] = kEndsUnquoted | kEndsQuoted;
    return table;
}();

// Bytes before the first that has to be looked at.
std::size_t plain_prefix(std::string_view bytes, std::uint8_t ends) {
    std::size_t at = 0;
    while (at < bytes.size() && (kEnds[static_cast<std::uint8_t>(bytes[at])] & ends) == 0) ++at;
    return at;
}

}  // namespace

CsvReader::CsvReader(RecordColumns columns, ReaderLimits limits)
    : columns_(std::move(columns)), limits_(limits) {}

Result<void> CsvReader::feed(std::string_view bytes, const RecordSink& sink) {
    const auto content = mark_.feed(bytes);
    if (!content) return fail(content.error());
    if (auto taken = take(content->held, sink); !taken) return taken;
    return take(content->rest, sink);
}

Result<void> CsvReader::finish(const RecordSink& sink) {
    if (auto taken = take(mark_.finish(), sink); !taken) return taken;
    if (state_ == State::quoted) {
        if (header_.empty()) return fail(Errc::invalid_input, "A quote in the header never ends.");
        sink(failed_record(record_line_, "unterminated_quote",
                           "a quote opens and the file ends before it closes."));
        return {};
    }
    if (auto ended = end_record(sink); !ended) return ended;
    if (header_.empty()) return fail(Errc::invalid_input, "The file has no header line.");
    return {};
}

Result<void> CsvReader::take(std::string_view bytes, const RecordSink& sink) {
    while (!bytes.empty()) {
        const char c = bytes.front();
        if (std::exchange(after_cr_, false) && c == '\n') {
            bytes.remove_prefix(1);
            continue;
        }
        if (state_ == State::quoted) {
            const std::size_t end = plain_prefix(bytes, kEndsQuoted);
            append(bytes.substr(0, end));
            bytes.remove_prefix(end);
            if (bytes.empty()) break;
            if (bytes.front() == '\n') {
                append("\n");
                ++line_;
            } else {
                state_ = State::quote_in_quoted;
            }
            bytes.remove_prefix(1);
            continue;
        }
        if (c == ',' || c == '\r' || c == '\n') {
            bytes.remove_prefix(1);
            if (c == ',') {
                blank_ = false;
                end_field();
                continue;
            }
            after_cr_ = c == '\r';
            ++line_;
            if (auto ended = end_record(sink); !ended) return ended;
        } else if (c == '"' && state_ != State::unquoted) {
            // Doubled inside quotes it stands for itself.
            if (state_ == State::quote_in_quoted) append("\"");
            blank_ = false;
            state_ = State::quoted;
            bytes.remove_prefix(1);
        } else {
            if (state_ == State::quote_in_quoted) bad_quote_ = true;
            state_ = State::unquoted;
            blank_ = false;
            const std::size_t end = plain_prefix(bytes, kEndsUnquoted);
            append(bytes.substr(0, end));
            bytes.remove_prefix(end);
        }
    }
    return {};
}

void CsvReader::append(std::string_view part) {
    record_bytes_ += part.size();
    if (record_bytes_ > limits_.record_bytes) return;  // reported when the record ends
    const bool wanted =
        header_.empty() || field_count_ == text_column_ || field_count_ == id_column_;
    if (wanted) field_.append(part);
}

void CsvReader::end_field() {
    ++record_bytes_;  // counted, so that a line of commas alone cannot grow without end
    if (header_.empty()) {
        if (record_bytes_ <= limits_.record_bytes) fields_.push_back(std::move(field_));
    } else if (field_count_ == text_column_ || field_count_ == id_column_) {
        fields_[field_count_].swap(field_);
    }
    field_.clear();
    ++field_count_;
    state_ = State::field_start;
}

Result<void> CsvReader::end_record(const RecordSink& sink) {
    if (blank_) {
        start_record();
        return {};
    }
    end_field();
    if (header_.empty()) {
        if (auto taken = take_header(); !taken) return taken;
    } else {
        sink(take_record());
    }
    start_record();
    return {};
}

void CsvReader::start_record() {
    state_ = State::field_start;
    record_line_ = line_;
    field_.clear();
    field_count_ = 0;
    record_bytes_ = 0;
    blank_ = true;
    bad_quote_ = false;
}

Result<void> CsvReader::take_header() {
    if (record_bytes_ > limits_.record_bytes) {
        return fail(Errc::too_large, "The header line is too long.");
    }
    for (const std::string& name : fields_) {
        if (find_invalid_utf8(name)) {
            return fail(Errc::invalid_input, "The header line is not UTF-8.");
        }
    }
    header_ = fields_;
    const auto has = [&](std::string_view name) { return std::ranges::count(header_, name) != 0; };
    if (columns_.text.empty()) {
        columns_.text = header_.size() == 1 && !has("text") ? header_.front() : "text";
    }
    const auto text = find_column(columns_.text);
    if (!text) return fail(text.error());
    text_column_ = *text;
    if (columns_.custom_id.empty() && has("custom_id")) columns_.custom_id = "custom_id";
    if (!columns_.custom_id.empty()) {
        const auto id = find_column(columns_.custom_id);
        if (!id) return fail(id.error());
        id_column_ = *id;
    }
    return {};
}

Result<std::size_t> CsvReader::find_column(std::string_view name) const {
    const auto found = std::ranges::find(header_, name);
    if (found == header_.end()) {
        std::string message = "There is no column \"" + std::string(name) + "\". The columns are:";
        for (const std::string& column : header_) {
            if (message.size() > 500) {
                message += " …";
                break;
            }
            message += " \"" + std::string(utf8_prefix(column, 100)) + "\"";
        }
        return fail(Errc::invalid_input, std::move(message));
    }
    if (std::ranges::count(header_, name) > 1) {
        return fail(Errc::invalid_input,
                    "The column \"" + std::string(name) + "\" occurs more than once.");
    }
    return static_cast<std::size_t>(found - header_.begin());
}

ReadRecord CsvReader::take_record() {
    if (record_bytes_ > limits_.record_bytes) {
        return failed_record(
            record_line_, "too_large",
            "the record has more than " + std::to_string(limits_.record_bytes) + " bytes.");
    }
    if (bad_quote_) {
        return failed_record(record_line_, "bad_quote",
                             "something stands between a closing quote and the next comma.");
    }
    if (field_count_ != header_.size()) {
        return failed_record(record_line_, "wrong_field_count",
                             std::to_string(field_count_) + " fields where the header has " +
                                 std::to_string(header_.size()) + ".");
    }
    Record record;
    record.text = std::move(fields_[text_column_]);
    // CSV cannot say "none" in another way than by an empty cell.
    if (id_column_ && !fields_[*id_column_].empty()) {
        record.custom_id = std::move(fields_[*id_column_]);
    }
    return checked_record(std::move(record), record_line_, limits_);
}

}  // namespace plimsoll::text
