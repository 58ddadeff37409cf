#include "engine/text/record_block.hpp"

#include "engine/text/packing.hpp"

#include <algorithm>
#include <utility>

namespace plimsoll::text {
namespace {

constexpr std::string_view kMagic = "PRB1";
constexpr std::size_t kHeader = 4 + 8 + 4;
constexpr std::uint8_t kHasId = 1;
constexpr std::uint8_t kIsError = 2;
constexpr std::uint8_t kHasLine = 4;

constexpr std::uint8_t has(Attribute attribute) {
    return static_cast<std::uint8_t>(8U << static_cast<unsigned>(attribute));
}

// The start line of the next record if no blank line precedes it. The file content of an error is
// no longer known.
std::uint64_t line_after(std::uint64_t line, std::string_view text, bool is_error) {
    if (line == 0 || is_error) return 0;
    return line + 1 + static_cast<std::uint64_t>(std::ranges::count(text, '\n'));
}

}  // namespace

RecordBlockWriter::RecordBlockWriter(std::uint64_t first_index) : first_index_(first_index) {
    start();
}

void RecordBlockWriter::start() {
    bytes_.assign(kMagic);
    pack_integer(bytes_, first_index_);
    pack_integer(bytes_, std::uint32_t{0});
    count_ = 0;
    next_line_ = 0;
}

void RecordBlockWriter::add(const Record& record) {
    std::uint8_t flags = 0;
    if (record.custom_id) flags |= kHasId;
    if (record.error) flags |= kIsError;
    if (record.line != next_line_) flags |= kHasLine;
    for (const auto attribute : kAttributes)
        if (record.attributes[attribute]) flags |= has(attribute);
    bytes_.push_back(static_cast<char>(flags));
    if (record.custom_id) pack_string(bytes_, *record.custom_id);
    for (const auto attribute : kAttributes)
        if (const auto& value = record.attributes[attribute]) pack_string(bytes_, *value);
    if ((flags & kHasLine) != 0) pack_integer(bytes_, record.line);
    if (record.error) {
        pack_string(bytes_, record.error->code);
        pack_string(bytes_, record.error->message);
    } else {
        pack_string(bytes_, record.text);
    }
    ++count_;
    next_line_ = line_after(record.line, record.text, record.error.has_value());
}

void RecordBlockWriter::save(std::string& out) const {
    pack_integer(out, first_index_);
    pack_integer(out, count_);
    pack_string(out, bytes_);
}

bool RecordBlockWriter::load(std::string_view& rest) {
    std::string_view bytes;
    if (!unpack_integer(rest, first_index_) || !unpack_integer(rest, count_) ||
        !unpack_string(rest, bytes) || bytes.size() < kHeader) {
        return false;
    }
    bytes_ = bytes;
    next_line_ = 0;  // the next record stores its line
    return true;
}

std::string RecordBlockWriter::take() {
    std::string count;
    pack_integer(count, count_);
    bytes_.replace(kHeader - count.size(), count.size(), count);
    std::string block = std::move(bytes_);
    first_index_ += count_;
    start();
    return block;
}

Result<RecordBlockReader> RecordBlockReader::open(std::string_view bytes) {
    if (bytes.size() < kHeader || !bytes.starts_with(kMagic))
        return fail(Errc::corrupt, "This is not a block of records.");
    RecordBlockReader reader(bytes.substr(kHeader));
    std::string_view numbers = bytes.substr(kMagic.size());
    unpack_integer(numbers, reader.next_index_);
    unpack_integer(numbers, reader.count_);
    reader.left_ = reader.count_;
    return reader;
}

Result<std::optional<RecordView>> RecordBlockReader::next() {
    const auto corrupt = [] { return fail(Errc::corrupt, "A block of records is corrupt."); };
    if (left_ == 0) {
        if (!rest_.empty()) return corrupt();
        return std::nullopt;
    }
    if (rest_.empty()) return corrupt();
    const auto flags = static_cast<std::uint8_t>(rest_.front());
    rest_.remove_prefix(1);
    RecordView record;
    record.index = next_index_;
    record.is_error = (flags & kIsError) != 0;
    record.line = next_line_;
    const auto read = [&](std::uint8_t flag, std::optional<std::string_view>& into) {
        return (flags & flag) == 0 || unpack_string(rest_, into.emplace());
    };
    if (!read(kHasId, record.custom_id)) return corrupt();
    for (const auto attribute : kAttributes)
        if (!read(has(attribute), record.attributes[attribute])) return corrupt();
    if ((flags & kHasLine) != 0 && !unpack_integer(rest_, record.line)) return corrupt();
    const bool whole = record.is_error ? unpack_string(rest_, record.error_code) &&
                                             unpack_string(rest_, record.error_message)
                                       : unpack_string(rest_, record.text);
    if (!whole) return corrupt();
    next_line_ = line_after(record.line, record.text, record.is_error);
    ++next_index_;
    --left_;
    return record;
}

}  // namespace plimsoll::text
