#include "server/terminal/files/input_file.hpp"

#include "engine/base/format_number.hpp"
#include "engine/base/json.hpp"
#include "engine/text/record_reader.hpp"
#include "engine/text/utf8.hpp"
#include "server/client/upload.hpp"
#include "server/terminal/assignment.hpp"
#include "server/terminal/files/records_file.hpp"
#include "server/terminal/files/unused_members.hpp"

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <memory>
#include <set>
#include <utility>

namespace plimsoll::terminal {
namespace {

constexpr std::size_t kPieceBytes = 1 << 16;

using File = std::unique_ptr<std::FILE, int (*)(std::FILE*)>;

int keep_open(std::FILE*) { return 0; }

Result<File> open(const std::string& name) {
    if (name == "-") return File(stdin, keep_open);
    File file(std::fopen(name.c_str(), "rb"), std::fclose);
    if (!file) {
        return fail(Errc::invalid_input,
                    "The file cannot be read: " + std::string(std::strerror(errno)) + ".", name);
    }
    return file;
}

Result<text::RecordColumns> parse_columns(const std::vector<std::string>& columns) {
    text::RecordColumns chosen;
    for (const auto& column : columns) {
        const auto equals = column.find('=');
        const auto member = column.substr(0, equals);
        std::string* name = member == "text"        ? &chosen.text
                            : member == "custom_id" ? &chosen.custom_id
                                                    : nullptr;
        for (const auto attribute : text::kColumnAttributes)
            if (member == name_of(attribute)) name = &chosen.attributes[attribute];
        if (member == "keep") name = &chosen.keep.emplace_back();
        if (equals == std::string::npos || name == nullptr) {
            return fail(Errc::invalid_input,
                        "--column must be member=COLUMN with the member text, custom_id, source, "
                        "time, label, group or keep, not \"" +
                            column + "\".");
        }
        if (!name->empty() || std::ranges::count(columns, column) > 1)
            return fail(given_twice(column));
        *name = column.substr(equals + 1);
    }
    return chosen;
}

Result<JobInput> too_long(bool headless) {
    if (headless) {
        return fail(Errc::invalid_input,
                    "A file large enough to be uploaded needs a header line; columns by number "
                    "(#2) work in smaller files only.");
    }
    JobInput input;
    input.too_long = true;
    return input;
}

// How a CSV file was read, so that users need not guess.
std::string understood_of(const text::RecordReader& reader, const text::RecordColumns& columns,
                          std::size_t records) {
    const auto& header = reader.header();
    const bool alone = header.size() == 1 && columns.text.empty();
    const bool named = std::ranges::find(header, "custom_id") != header.end();
    const std::string id = !columns.custom_id.empty() ? columns.custom_id
                           : named                    ? "custom_id"
                                                      : std::string(text::kPlainId);
    std::string used, unused;
    for (const auto& name : header) {
        const bool is_text = alone || name == (columns.text.empty() ? "text" : columns.text);
        const bool is_id = name == id;
        const bool is_attribute = std::ranges::any_of(text::kColumnAttributes, [&](auto attribute) {
            return name == columns.attributes[attribute];
        });
        const bool is_kept = std::ranges::find(columns.keep, name) != columns.keep.end();
        auto& list = is_text || is_id || is_attribute || is_kept ? used : unused;
        list += (list.empty() ? "" : ", ") + name;
    }
    const char delimiter = reader.delimiter();
    return format_count(static_cast<std::int64_t>(records)) +
           (records == 1 ? " record" : " records") + "; columns: " + used +
           "; separator: " + (delimiter == '\t' ? "tab" : "\"" + std::string(1, delimiter) + "\"") +
           (unused.empty() ? ""
                           : "; not sent: " + unused +
                                 " (send one with --keep COLUMN, or as the ID with --column "
                                 "custom_id=COLUMN)");
}

constexpr const char* kToUtf8 =
    " Save the file as UTF-8, or convert it: iconv -f WINDOWS-1252 -t UTF-8.";

// A missing column usually has another name, or the file has no header line.
Error with_hint(Error error, std::string file) {
    if (error.code != Errc::not_found) {
        if (error.message.ends_with("is not UTF-8.")) error.message += kToUtf8;
        if (error.where.empty()) error.where = std::move(file);
        return error;
    }
    error.code = Errc::invalid_input;
    const auto member = error.where.empty() ? "text" : error.where;
    error.message += ". The first line is the header; name the column with " +
                     (member == "keep"    ? "--keep COLUMN"
                      : member == "group" ? "--group-by COLUMN"
                                          : "--column " + member + "=COLUMN") +
                     " or, if the file has no header line, by its number: #1.";
    error.where = std::move(file);
    return error;
}

// The whole file is one job's input: a record that cannot be read stops the submission, so that a
// part is not mistaken for the whole.
Result<JobInput> read_items(const std::string& name, std::FILE* file, text::RecordFormat format,
                            const text::RecordColumns& columns, bool headless) {
    json items = json::array();
    std::optional<Error> broken;
    const auto sink = [&](text::ReadRecord read) {
        if (broken || items.size() > client::kInlineItems) return;
        if (read.record.error && read.record.error->code == text::kEmptyText) {
            items.push_back({{"text", nullptr}});  // an error in its place
            return;
        }
        if (read.record.error) {
            if (read.record.error->code == "invalid_utf8") read.record.error->message += kToUtf8;
            if (read.record.error->code == "missing_text")
                read.record.error->message += " Name one with --column text=MEMBER.";
            broken = Error{Errc::invalid_input, read.record.error->message,
                           name + ":" + std::to_string(read.line - (headless ? 1 : 0))};
            return;
        }
        json item{{"text", std::move(read.record.text)}};
        if (read.record.custom_id) item["custom_id"] = std::move(*read.record.custom_id);
        for (const auto attribute : text::kColumnAttributes) {
            auto& value = read.record.attributes[attribute];
            if (value) item[std::string(name_of(attribute))] = std::move(*value);
        }
        if (const auto& kept = read.record.attributes[text::Attribute::kept])
            item["kept"] = json::parse(*kept);
        items.push_back(std::move(item));
    };
    text::RecordReader reader(format, columns);
    std::set<std::string> used{columns.text.empty() ? "text" : columns.text,
                               columns.custom_id.empty() ? "custom_id" : columns.custom_id};
    if (columns.custom_id.empty()) used.emplace(text::kPlainId);
    for (const auto attribute : text::kColumnAttributes) used.insert(columns.attributes[attribute]);
    used.insert(columns.keep.begin(), columns.keep.end());
    UnusedMembers unused(std::move(used));
    std::string piece(kPieceBytes, '\0');
    text::Utf8Input decoder;
    bool headed = !headless;
    for (bool is_end = false; !is_end;) {
        const auto size = std::fread(piece.data(), 1, piece.size(), file);
        is_end = size == 0;
        const auto bytes = is_end ? decoder.finish() : decoder.feed({piece.data(), size});
        if (!headed && !bytes.empty()) {
            headed = true;
            TRY_DO(reader.feed(header_for(bytes), sink));
        }
        if (auto fed = reader.feed(bytes, sink); !fed) return fail(with_hint(fed.error(), name));
        if (format == text::RecordFormat::json_lines) unused.feed(bytes);
    }
    unused.finish();
    if (auto ended = reader.finish(sink); !ended) return fail(with_hint(ended.error(), name));
    if (broken) return fail(*broken);
    if (items.size() > client::kInlineItems && name != "-") return too_long(headless);
    if (items.empty()) {
        return fail(Errc::invalid_input,
                    format == text::RecordFormat::csv ? "The file has a header line and no records."
                                                      : "The file has no records.",
                    name);
    }
    JobInput input;
    if (format == text::RecordFormat::csv)
        input.understood = name + ": " + understood_of(reader, columns, items.size());
    input.args = {{"items", std::move(items)}};
    // JSON objects have no order: the file's order is sent separately.
    if (format == text::RecordFormat::csv && !columns.keep.empty()) {
        json& keep = input.args["columns"]["keep"] = json::array();
        for (const auto& column : reader.header())
            if (std::ranges::find(columns.keep, column) != columns.keep.end())
                keep.push_back(column);
    }
    for (const auto& [member, line] : unused.found()) {
        input.left_out.push_back(name + ":" + std::to_string(line) + ": the member \"" + member +
                                 "\" is not sent");
    }
    return input;
}

}  // namespace

Result<std::string> read_text(const std::string& name) {
    TRY(const auto file, open(name));
    std::string bytes;
    std::string piece(kPieceBytes, '\0');
    text::Utf8Input decoder;
    while (const auto size = std::fread(piece.data(), 1, piece.size(), file.get()))
        bytes += decoder.feed({piece.data(), size});
    bytes += decoder.finish();
    if (std::ferror(file.get()) != 0)
        return fail(Errc::invalid_input, "The file cannot be read.", name);
    if (const auto at = text::find_invalid_utf8(bytes)) {
        return fail(Errc::invalid_input,
                    "The file is not UTF-8 from byte " + std::to_string(*at) + " on.", name);
    }
    return bytes;
}

Result<JobInput> read_input_file(const std::string& name, const std::vector<std::string>& columns) {
    TRY(auto chosen, parse_columns(columns));
    TRY(auto file, open(name));
    const bool whole = name.ends_with(".json");
    if (whole && !columns.empty()) {
        return fail(Errc::invalid_input,
                    "--column, --keep and --group-by have no effect: the file holds a job's "
                    "arguments, not records.",
                    name);
    }
    const bool csv = client::is_csv(name);
    const bool headless = csv && without_header(columns);
    if (!whole && name != "-") {
        TRY(const auto bytes, client::file_bytes(name));
        if (bytes > client::kInlineFileBytes) return too_long(headless);
    }
    if (whole) {
        auto args = json::parse(file.get(), nullptr, false);
        if (args.is_array()) {
            return fail(Errc::invalid_input,
                        "A .json file holds a job's arguments, not a list. Write records to a "
                        ".jsonl file, one per line.",
                        name);
        }
        if (!args.is_object())
            return fail(
                Errc::invalid_input,
                "The file must hold one JSON object, a job's arguments. Records, one per line, "
                "need a name that ends in .jsonl.",
                name);
        return JobInput{.args = std::move(args)};
    }
    if (name != "-") {
        TRY_DO(check_records_file(name));
    }
    return read_items(name, file.get(),
                      csv ? text::RecordFormat::csv : text::RecordFormat::json_lines, chosen,
                      headless);
}

}  // namespace plimsoll::terminal
