#include "engine/text/csv_scanner.hpp"

#include "engine/text/csv_fields.hpp"
#include "engine/text/packing.hpp"
#include "engine/text/record_reader.hpp"
#include "engine/text/utf8.hpp"

#include <algorithm>
#include <array>
#include <string_view>

namespace plimsoll::text {
namespace {

constexpr auto table_of(std::string_view ends) {
    std::array<bool, 256> table{};
    for (const char c : ends) table[static_cast<std::uint8_t>(c)] = true;
    return table;
}
constexpr auto kEndsQuoted = table_of("\"\n");
constexpr std::array kEndsUnquoted = {table_of(",\r\n"), table_of(";\r\n"), table_of("\t\r\n"),
                                      table_of("|\r\n")};
constexpr auto kEndsHeader = table_of(",;\t|\r\n");

// The first byte from `at` on that needs attention.
std::size_t skip_plain(std::string_view bytes, std::size_t at, const std::array<bool, 256>& ends) {
    while (at < bytes.size() && !ends[static_cast<std::uint8_t>(bytes[at])]) ++at;
    return at;
}

// The most frequent one in the header, outside quotes.
char delimiter_of(std::string_view header) {
    std::array<std::size_t, kCsvDelimiters.size()> counts{};
    bool quoted = false;
    for (const char c : header) {
        if (c == '"') quoted = !quoted;
        const auto which = kCsvDelimiters.find(c);
        if (!quoted && which != kCsvDelimiters.npos) ++counts[which];
    }
    const auto max = std::ranges::max_element(counts);  // the first of equals: a comma
    return kCsvDelimiters[static_cast<std::size_t>(max - counts.begin())];
}

}  // namespace

bool CsvScanner::ends_field(char c) const {
    return header_.empty() ? kCsvDelimiters.find(c) != kCsvDelimiters.npos : c == delimiter_;
}

std::size_t CsvScanner::skip_unquoted(std::string_view bytes, std::size_t at) const {
    return skip_plain(
        bytes, at, header_.empty() ? kEndsHeader : kEndsUnquoted[kCsvDelimiters.find(delimiter_)]);
}

Result<void> CsvScanner::finish(const RawSink& sink) {
    TRY_DO(take(last_bytes(), sink));
    if (state_ == State::quoted) {
        if (header_.empty())
            return fail(Errc::invalid_input, "A quote in the header is not closed.");
        sink(failed_raw_record(record_line_, "unterminated_quote",
                               "a quote is not closed before the end of the file."));
        return {};
    }
    TRY_DO(end_record({}, sink));
    if (header_.empty()) return fail(Errc::invalid_input, "The file has no header line.");
    return {};
}

Result<void> CsvScanner::take(std::string_view bytes, const RawSink& sink) {
    std::size_t begin = 0;  // of the record, as far as it lies in this piece
    for (std::size_t at = 0; at < bytes.size();) {
        const char c = bytes[at];
        if (after_cr_) {
            after_cr_ = false;
            if (c == '\n') {
                begin = ++at;
                continue;
            }
        }
        if (state_ == State::quoted) {
            at = skip_plain(bytes, at, kEndsQuoted);
            if (at == bytes.size()) break;
            if (bytes[at] == '\n')
                ++line_;
            else
                state_ = State::quote_in_quoted;
            ++at;
        } else if (ends_field(c)) {
            state_ = State::field_start;
            blank_ = false;
            ++delimiters_;
            ++at;
        } else if (c == '\r' || c == '\n') {
            after_cr_ = c == '\r';
            ++line_;
            if (auto ended = end_record(bytes.substr(begin, at - begin), sink); !ended)
                return ended;
            begin = ++at;
        } else if (c == '"' && state_ != State::unquoted) {
            state_ = State::quoted;  // doubled inside quotes it does not end them
            blank_ = false;
            ++at;
        } else {
            if (state_ == State::quote_in_quoted) bad_quote_ = true;
            state_ = State::unquoted;
            blank_ = false;
            at = skip_unquoted(bytes, at);
        }
    }
    hold(bytes.substr(begin));
    return {};
}

Result<void> CsvScanner::end_record(std::string_view part, const RawSink& sink) {
    if (!blank_) {
        const std::string_view record = whole(part);
        if (header_.empty()) {
            TRY_DO(take_header(record));
        } else {
            report(record, sink);
        }
    }
    start_record();
    return {};
}

void CsvScanner::start_record() {
    forget();
    state_ = State::field_start;
    record_line_ = line_;
    delimiters_ = 0;
    blank_ = true;
    bad_quote_ = false;
}

Result<void> CsvScanner::take_header(std::string_view record) {
    if (overlong_)
        return fail(Errc::too_large, "The header line has more than " +
                                         std::to_string(limits_.record_bytes) + " bytes.");
    if (find_invalid_utf8(record))
        return fail(Errc::invalid_input, "The header line is not UTF-8.");
    if (record.starts_with("sep=") && record.size() == 5 && record_line_ == 1) {
        named_ = record.back();
        if (kCsvDelimiters.find(named_) != kCsvDelimiters.npos) return {};
        return fail(Errc::invalid_input,
                    "The first line names a delimiter that is no comma, semicolon, tab or pipe.");
    }
    delimiter_ = named_ != '\0' ? named_ : delimiter_of(record);
    header_ = csv_fields(record, delimiter_);
    return {};
}

void CsvScanner::report(std::string_view record, const RawSink& sink) {
    if (overlong_) {
        sink(failed_raw_record(
            record_line_, "too_large",
            "the record has more than " + std::to_string(limits_.record_bytes) + " bytes."));
    } else if (bad_quote_) {
        sink(failed_raw_record(record_line_, "bad_quote",
                               "there is text between a closing quote and the next delimiter."));
    } else if (delimiters_ + 1 != header_.size()) {
        sink(failed_raw_record(record_line_, "wrong_field_count",
                               std::to_string(delimiters_ + 1) +
                                   (delimiters_ == 0 ? " field" : " fields") +
                                   ", but the header has " + std::to_string(header_.size()) + "."));
    } else if (delimiter_ == ',') {
        sink({record, record_line_, std::nullopt});
    } else {
        in_commas_.clear();
        append_csv_record(in_commas_, csv_fields(record, delimiter_));
        sink({in_commas_, record_line_, std::nullopt});
    }
}

void CsvScanner::save(std::string& out) const {
    RecordScanner::save(out);
    pack_integer(out, static_cast<std::uint32_t>(header_.size()));
    for (const std::string& name : header_) pack_string(out, name);
    for (const bool flag : {after_cr_, blank_, bad_quote_})
        pack_integer(out, static_cast<std::uint8_t>(flag));
    pack_integer(out, static_cast<std::uint8_t>(state_));
    pack_integer(out, static_cast<std::uint8_t>(delimiter_));
    pack_integer(out, static_cast<std::uint8_t>(named_));
    for (const std::uint64_t count : {line_, record_line_, delimiters_}) pack_integer(out, count);
}

bool CsvScanner::load(std::string_view& rest) {
    std::uint32_t columns = 0;
    if (!RecordScanner::load(rest) || !unpack_integer(rest, columns)) return false;
    header_.clear();
    for (std::string_view name; columns > 0; --columns) {
        if (!unpack_string(rest, name)) return false;
        header_.emplace_back(name);
    }
    for (bool* flag : {&after_cr_, &blank_, &bad_quote_}) {
        std::uint8_t value = 0;
        if (!unpack_integer(rest, value)) return false;
        *flag = value != 0;
    }
    std::uint8_t state = 0;
    if (!unpack_integer(rest, state) || state > static_cast<int>(State::quote_in_quoted))
        return false;
    state_ = static_cast<State>(state);
    std::uint8_t delimiter = 0;
    std::uint8_t named = 0;
    if (!unpack_integer(rest, delimiter) || !unpack_integer(rest, named)) return false;
    delimiter_ = static_cast<char>(delimiter);
    named_ = static_cast<char>(named);
    if (kCsvDelimiters.find(delimiter_) == kCsvDelimiters.npos) return false;
    return unpack_integer(rest, line_) && unpack_integer(rest, record_line_) &&
           unpack_integer(rest, delimiters_);
}

}  // namespace plimsoll::text
