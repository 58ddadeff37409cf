#include "engine/text/record_block.hpp"

#include <cstring>
#include <utility>

namespace plimsoll::text {
namespace {

constexpr std::string_view kMagic = "PRB1";
constexpr std::size_t kHeader = 4 + 8 + 4;
constexpr std::uint8_t kHasId = 1;
constexpr std::uint8_t kIsError = 2;

template <class T>
void append_integer(std::string& out, T value) {
    for (std::size_t i = 0; i < sizeof(T); ++i) {
        out.push_back(static_cast<char>((value >> (8 * i)) & 0xFF));
    }
}

void append_string(std::string& out, std::string_view text) {
    append_integer(out, static_cast<std::uint32_t>(text.size()));
    out.append(text);
}

template <class T>
T integer_at(std::string_view bytes) {
    T value = 0;
    for (std::size_t i = 0; i < sizeof(T); ++i) {
        value |= static_cast<T>(static_cast<std::uint8_t>(bytes[i])) << (8 * i);
    }
    return value;
}

}  // namespace

RecordBlockWriter::RecordBlockWriter(std::uint64_t first_index) : first_index_(first_index) {
    start();
}

void RecordBlockWriter::start() {
    bytes_.assign(kMagic);
    append_integer(bytes_, first_index_);
    append_integer(bytes_, std::uint32_t{0});
    count_ = 0;
}

void RecordBlockWriter::add(const Record& record) {
    std::uint8_t flags = 0;
    if (record.custom_id) flags |= kHasId;
    if (record.error) flags |= kIsError;
    bytes_.push_back(static_cast<char>(flags));
    if (record.custom_id) append_string(bytes_, *record.custom_id);
    if (record.error) {
        append_string(bytes_, record.error->code);
        append_string(bytes_, record.error->message);
    } else {
        append_string(bytes_, record.text);
    }
    ++count_;
}

std::string RecordBlockWriter::take() {
    std::string count;
    append_integer(count, count_);
    bytes_.replace(kHeader - count.size(), count.size(), count);
    std::string block = std::move(bytes_);
    first_index_ += count_;
    start();
    return block;
}

Result<RecordBlockReader> RecordBlockReader::open(std::string_view bytes) {
    if (bytes.size() < kHeader || !bytes.starts_with(kMagic)) {
        return fail(Errc::corrupt, "This is not a block of records.");
    }
    RecordBlockReader reader(bytes.substr(kHeader));
    reader.next_index_ = integer_at<std::uint64_t>(bytes.substr(4));
    reader.count_ = reader.left_ = integer_at<std::uint32_t>(bytes.substr(12));
    return reader;
}

bool RecordBlockReader::read_string(std::string_view& out) {
    if (rest_.size() < 4) return false;
    const auto length = integer_at<std::uint32_t>(rest_);
    rest_.remove_prefix(4);
    if (rest_.size() < length) return false;
    out = rest_.substr(0, length);
    rest_.remove_prefix(length);
    return true;
}

Result<std::optional<RecordView>> RecordBlockReader::next() {
    const auto corrupt = [] { return fail(Errc::corrupt, "A block of records is damaged."); };
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
    if ((flags & kHasId) != 0 && !read_string(record.custom_id.emplace())) return corrupt();
    const bool whole = record.is_error
                           ? read_string(record.error_code) && read_string(record.error_message)
                           : read_string(record.text);
    if (!whole) return corrupt();
    ++next_index_;
    --left_;
    return record;
}

}  // namespace plimsoll::text
