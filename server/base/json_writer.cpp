#include "server/base/json_writer.hpp"

#include <array>
#include <charconv>
#include <cmath>

namespace plimsoll {
namespace {

constexpr std::size_t kInitialBytes = 1024;  // bytes: most answers need no second allocation

bool needs_escape(char c) { return static_cast<unsigned char>(c) < 0x20 || c == '"' || c == '\\'; }

void append_escaped(std::string& out, std::string_view value) {
    // Most texts need none; a loop without an exit looks at many characters at once.
    bool any = false;
    for (const char c : value) any |= needs_escape(c);
    if (!any) {
        out += value;
        return;
    }
    constexpr std::string_view kHex = "0123456789abcdef";
    std::size_t plain = 0;  // from where nothing was written yet
    for (std::size_t i = 0; i < value.size(); ++i) {
        const char c = value[i];
        if (!needs_escape(c)) continue;
        out += value.substr(plain, i - plain);
        plain = i + 1;
        switch (c) {
            case '"':
            case '\\': (out += '\\') += c; break;
            case '\n': out += "\\n"; break;
            case '\t': out += "\\t"; break;
            default: ((out += "\\u00") += kHex[static_cast<unsigned char>(c) >> 4]) += kHex[c & 15];
        }
    }
    out += value.substr(plain);
}

template <class Number>
void append(std::string& out, Number value) {
    std::array<char, 32> digits;  // the shortest text of any double or 64-bit integer fits
    const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), value).ptr;
    out.append(digits.data(), end);
}

}  // namespace

void append_json_string(std::string& out, std::string_view text) {
    out += '"';
    append_escaped(out, text);
    out += '"';
}

JsonWriter& JsonWriter::key(std::string_view name) {
    begin_value();
    append_json_string(out_, name);
    out_ += ':';
    comma_ = false;
    return *this;
}

JsonWriter& JsonWriter::text(std::string_view value) { return text(value, {}); }

JsonWriter& JsonWriter::text(std::string_view start, std::string_view end) {
    begin_value();
    out_ += '"';
    append_escaped(out_, start);
    append_escaped(out_, end);
    out_ += '"';
    return *this;
}

JsonWriter& JsonWriter::number(double value) {
    if (!std::isfinite(value)) return null();
    begin_value();
    append(out_, value);
    return *this;
}

JsonWriter& JsonWriter::json(std::string_view value) {
    begin_value();
    out_ += value;
    return *this;
}

JsonWriter& JsonWriter::open(char bracket) {
    if (out_.empty()) out_.reserve(kInitialBytes);
    begin_value();
    out_ += bracket;
    comma_ = false;
    return *this;
}

JsonWriter& JsonWriter::close(char bracket) {
    out_ += bracket;
    comma_ = true;
    return *this;
}

JsonWriter& JsonWriter::integer(std::int64_t value) {
    begin_value();
    append(out_, value);
    return *this;
}

void JsonWriter::begin_value() {
    if (comma_) out_ += ',';
    comma_ = true;
}

}  // namespace plimsoll
