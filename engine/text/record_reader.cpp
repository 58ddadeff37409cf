#include "engine/text/record_reader.hpp"

#include <cctype>
#include <string>
#include <utility>

namespace plimsoll::text {
namespace {

// "The text is …" becomes "Line 7: the text is …".
std::string at_line(std::uint64_t line, std::string message) {
    message.front() = static_cast<char>(std::tolower(static_cast<unsigned char>(message.front())));
    return "Line " + std::to_string(line) + ": " + message;
}

}  // namespace

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
        if (found) {
            layout_ = std::move(*found);
        } else {
            broken_ = std::move(found.error());
        }
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
        if (read.record.error) {
            read.record.error->message = at_line(raw.line, std::move(read.record.error->message));
        }
    }
    sink(std::move(read));
}

}  // namespace plimsoll::text
