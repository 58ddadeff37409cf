#include "engine/text/record_scanner.hpp"

#include "engine/text/csv_scanner.hpp"
#include "engine/text/json_lines_scanner.hpp"
#include "engine/text/packing.hpp"

namespace plimsoll::text {

Result<void> RecordScanner::feed(std::string_view bytes, const RawSink& sink) {
    return take(input_.feed(bytes), sink);
}

void RecordScanner::hold(std::string_view part) {
    if (overlong_ || held_.size() + part.size() > limits_.record_bytes) {
        overlong_ = true;
        held_.clear();
        held_.shrink_to_fit();
    } else {
        held_.append(part);
    }
}

std::string_view RecordScanner::whole(std::string_view part) {
    if (held_.empty() && !overlong_ && part.size() <= limits_.record_bytes) return part;
    hold(part);
    return held_;
}

void RecordScanner::forget() {
    held_.clear();
    overlong_ = false;
}

void RecordScanner::save(std::string& out) const {
    input_.save(out);
    pack_integer(out, static_cast<std::uint8_t>(overlong_));
    pack_string(out, held_);
}

bool RecordScanner::load(std::string_view& rest) {
    std::uint8_t overlong = 0;
    std::string_view held;
    if (!input_.load(rest) || !unpack_integer(rest, overlong) || !unpack_string(rest, held))
        return false;
    overlong_ = overlong != 0;
    held_ = held;
    return true;
}

std::unique_ptr<RecordScanner> make_record_scanner(RecordFormat format, ReaderLimits limits) {
    if (format == RecordFormat::csv) return std::make_unique<CsvScanner>(limits);
    return std::make_unique<JsonLinesScanner>(limits);
}

}  // namespace plimsoll::text
