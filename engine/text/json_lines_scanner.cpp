#include "engine/text/json_lines_scanner.hpp"

#include "engine/text/packing.hpp"
#include "engine/text/record_reader.hpp"

#include <nlohmann/json.hpp>

namespace plimsoll::text {

Result<void> JsonLinesScanner::finish(const RawSink& sink) {
    TRY_DO(take(last_bytes(), sink));
    end_line({}, sink);
    return {};
}

Result<void> JsonLinesScanner::take(std::string_view bytes, const RawSink& sink) {
    while (!bytes.empty()) {
        const std::size_t end = bytes.find('\n');
        if (end == std::string_view::npos) {
            hold(bytes);
            break;
        }
        end_line(bytes.substr(0, end), sink);
        ++line_;
        bytes.remove_prefix(end + 1);
    }
    return {};
}

void JsonLinesScanner::end_line(std::string_view part, const RawSink& sink) {
    std::string_view line = whole(part);
    if (line.ends_with('\r')) line.remove_suffix(1);
    const std::size_t first = line.find_first_not_of(" \t\r");
    if (overlong_) {
        sink(failed_raw_record(
            line_, "too_large",
            "the line has more than " + std::to_string(limits_.record_bytes) + " bytes."));
    } else if (first == std::string_view::npos) {
        // A blank line.
    } else if (!nlohmann::json::accept(line)) {
        sink(failed_raw_record(line_, "invalid_json", "this is not JSON in UTF-8."));
    } else if (line[first] != '{' && line[first] != '"' && line[first] != 'n') {
        sink(failed_raw_record(line_, "invalid_record",
                               "this is neither a JSON string nor an object."));
    } else {
        sink({line, line_, std::nullopt});
    }
    forget();
}

void JsonLinesScanner::save(std::string& out) const {
    RecordScanner::save(out);
    pack_integer(out, line_);
}

bool JsonLinesScanner::load(std::string_view& rest) {
    return RecordScanner::load(rest) && unpack_integer(rest, line_);
}

}  // namespace plimsoll::text
