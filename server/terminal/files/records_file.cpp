#include "server/terminal/files/records_file.hpp"

#include "engine/text/csv_fields.hpp"
#include "engine/text/record_scanner.hpp"
#include "engine/text/utf8.hpp"
#include "server/client/upload.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <memory>

namespace plimsoll::terminal {
namespace {

constexpr std::size_t kBeginning = 4096;

struct Signature {
    std::string_view bytes;
    const char* advice;
};
constexpr Signature kSignatures[] = {
    {"PK\x03\x04", "The file is a spreadsheet or a ZIP archive: save the table as CSV in UTF-8."},
    {"\xD0\xCF\x11\xE0", "The file is a spreadsheet: save the table as CSV in UTF-8."},
    {"\x1F\x8B", "The file is compressed: unpack it first."},
    {"\x28\xB5\x2F\xFD", "The file is compressed: unpack it first."},
    {"PAR1", "The file is Parquet: convert it to CSV or JSON lines."},
    {"ARROW1", "The file is Arrow: convert it to CSV or JSON lines."},
};

// What is wrong with a file that begins like this; empty: nothing.
std::string complaint_about(std::string_view bytes, bool csv) {
    if (auto complaint = complaint_about_kind(bytes); !complaint.empty() || csv) return complaint;
    const auto first = bytes.find_first_not_of(" \t\r\n");
    if (first == std::string_view::npos || bytes[first] == '{' || bytes[first] == '"') return {};
    if (bytes[first] == '[')
        return "The file holds a list in JSON: write one record per line instead (.jsonl).";
    return "The file is not JSON lines. Each line of such a file is an object with the member "
           "\"text\", or a text in quotes; tables need a name that ends in .csv or .tsv.";
}

}  // namespace

std::string complaint_about_kind(std::string_view bytes) {
    if (bytes.empty()) return "The file is empty.";
    for (const auto& signature : kSignatures)
        if (bytes.starts_with(signature.bytes)) return signature.advice;
    return {};
}

Result<void> check_records_file(const std::string& name) {
    const std::unique_ptr<std::FILE, int (*)(std::FILE*)> file(std::fopen(name.c_str(), "rb"),
                                                               std::fclose);
    std::string beginning(kBeginning, '\0');
    errno = 0;
    if (file) beginning.resize(std::fread(beginning.data(), 1, beginning.size(), file.get()));
    if (!file || std::ferror(file.get()) != 0) {
        return fail(Errc::invalid_input,
                    "The file cannot be read: " + std::string(std::strerror(errno)) + ".", name);
    }
    text::Utf8Input decoder;
    const auto complaint = complaint_about(decoder.feed(beginning), client::is_csv(name));
    if (!complaint.empty()) return fail(Errc::invalid_input, complaint, name);
    return {};
}

bool may_have_column(const std::string& name, std::string_view column) {
    if (!client::is_csv(name)) return !name.ends_with(".json");
    const std::unique_ptr<std::FILE, int (*)(std::FILE*)> file(std::fopen(name.c_str(), "rb"),
                                                               std::fclose);
    if (!file) return false;
    const auto scanner = text::make_record_scanner(text::RecordFormat::csv);
    const auto ignore = [](const text::RawRecord&) {};
    std::string piece(kBeginning, '\0');
    while (scanner->header().empty()) {
        const auto size = std::fread(piece.data(), 1, piece.size(), file.get());
        if (size == 0 && !scanner->finish(ignore)) return false;
        if (size == 0) break;
        if (!scanner->feed(std::string_view(piece.data(), size), ignore)) return false;
    }
    return std::ranges::find(scanner->header(), column) != scanner->header().end();
}

bool without_header(const std::vector<std::string>& columns) {
    return std::ranges::any_of(columns, [](const std::string& column) {
        const auto place = column.find("=#");
        if (place == std::string::npos || place + 2 == column.size()) return false;
        return std::all_of(column.begin() + static_cast<std::ptrdiff_t>(place) + 2, column.end(),
                           [](unsigned char c) { return std::isdigit(c) != 0; });
    });
}

namespace {

constexpr std::size_t kLines = 10;

using Counts = std::array<std::size_t, text::kCsvDelimiters.size()>;

// Separators outside of quotes, of each of the first records.
std::vector<Counts> counts_of(std::string_view beginning) {
    std::vector<Counts> lines(1);
    bool quoted = false;
    bool empty = true;
    for (const char c : beginning) {
        if (c == '"') quoted = !quoted;
        if (c == '\n' && !quoted) {
            if (empty) lines.pop_back();
            if (lines.size() == kLines) return lines;
            lines.emplace_back();
            empty = true;
            continue;
        }
        empty = false;
        const auto found = text::kCsvDelimiters.find(c);
        if (!quoted && found != text::kCsvDelimiters.npos) ++lines.back()[found];
    }
    // The last one may be cut off.
    if (lines.size() > 1) lines.pop_back();
    return lines;
}

}  // namespace

std::string header_for(std::string_view beginning) {
    const auto lines = counts_of(beginning);
    // A text may have commas of its own, but not the same number in every record.
    std::size_t best = 0;
    std::size_t max = 0;
    for (std::size_t separator = 0; separator < text::kCsvDelimiters.size(); ++separator) {
        const auto min = std::ranges::min(
            lines, {}, [&](const Counts& counts) { return counts[separator]; })[separator];
        if (min <= max) continue;
        best = separator;
        max = min;
    }
    std::string header;
    for (std::size_t column = 1; column <= lines.front()[best] + 1; ++column) {
        if (column > 1) header += text::kCsvDelimiters[best];
        header += "#" + std::to_string(column);
    }
    return header + "\n";
}

}  // namespace plimsoll::terminal
