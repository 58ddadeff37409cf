#include "server/jobs/records/dataset_cutter.hpp"

#include "engine/text/packing.hpp"
#include "engine/text/utf8.hpp"
#include "server/base/gzip.hpp"

#include <algorithm>
#include <utility>

#include <nlohmann/json.hpp>

namespace plimsoll::jobs {
namespace {

// JSON lines may have different members; this many are examined to find the columns.
constexpr std::int64_t kSampledRecords = 100;

Error damaged() { return {Errc::corrupt, "The stored upload state is corrupt.", {}}; }

}  // namespace

DatasetCutter::DatasetCutter(text::RecordFormat format)
    : format_(format), scanner_(text::make_record_scanner(format)), block_(0) {}

Result<DatasetCutter> DatasetCutter::resume(text::RecordFormat format, std::string_view state) {
    DatasetCutter cutter(format);
    if (!cutter.load(state)) return fail(damaged());
    return cutter;
}

std::string DatasetCutter::state() const {
    std::string out;
    scanner_->save(out);
    block_.save(out);
    text::pack_integer(out, static_cast<std::uint32_t>(members_.size()));
    for (const std::string& member : members_) text::pack_string(out, member);
    for (const auto count : {records_, failed_, block_failed_, block_bytes_})
        text::pack_integer(out, count);
    return out;
}

bool DatasetCutter::load(std::string_view state) {
    std::uint32_t members = 0;
    if (!scanner_->load(state) || !block_.load(state) || !text::unpack_integer(state, members))
        return false;
    for (std::string_view member; members > 0; --members) {
        if (!text::unpack_string(state, member)) return false;
        members_.emplace_back(member);
    }
    for (auto* count : {&records_, &failed_, &block_failed_, &block_bytes_})
        if (!text::unpack_integer(state, *count)) return false;
    return state.empty();
}

Result<void> DatasetCutter::feed(std::string_view bytes, std::vector<DatasetChunk>& chunks) {
    auto fed = scanner_->feed(bytes, [&](const text::RawRecord& raw) { take(raw, chunks); });
    return fed ? check() : fed;
}

Result<void> DatasetCutter::finish(std::vector<DatasetChunk>& chunks) {
    auto ended = scanner_->finish([&](const text::RawRecord& raw) { take(raw, chunks); });
    if (!ended) return ended;
    end_chunk(chunks);
    if (records_ == 0) return fail(Errc::invalid_input, "The file has no records.");
    return check();
}

const std::vector<std::string>& DatasetCutter::columns() const {
    return format_ == text::RecordFormat::csv ? scanner_->header() : members_;
}

void DatasetCutter::take(const text::RawRecord& raw, std::vector<DatasetChunk>& chunks) {
    if (records_ + block_.count() > kDatasetRecords) return;  // told when the piece ends
    text::Record record;
    record.line = raw.line;
    record.error = raw.error;
    if (!record.error && text::find_invalid_utf8(raw.bytes)) {
        record.error = text::RecordError{
            "invalid_utf8", "Line " + std::to_string(raw.line) + ": the record is not UTF-8."};
    }
    // A chunk ends before the record that would not fit.
    if (block_.count() != 0 && block_.bytes() + raw.bytes.size() > kChunkBytes) end_chunk(chunks);
    if (record.error) {
        ++block_failed_;
    } else {
        record.text = raw.bytes;
        block_bytes_ += static_cast<std::int64_t>(raw.bytes.size());
        if (format_ == text::RecordFormat::json_lines &&
            records_ + block_.count() < kSampledRecords) {
            note_members(raw.bytes);
        }
    }
    block_.add(record);
    if (block_.count() == kChunkRecords) end_chunk(chunks);
}

void DatasetCutter::note_members(std::string_view raw) {
    const auto object = nlohmann::json::parse(raw, nullptr, false);
    if (object.is_string()) note_member("text");  // a text without a name is the text of an item
    if (!object.is_object()) return;
    for (const auto& [name, value] : object.items()) note_member(name);
}

void DatasetCutter::note_member(const std::string& name) {
    const bool known = std::ranges::count(members_, name) != 0;
    if (!known && members_.size() < kDatasetColumns) members_.push_back(name);
}

void DatasetCutter::end_chunk(std::vector<DatasetChunk>& chunks) {
    if (block_.count() == 0) return;
    DatasetChunk chunk;
    chunk.first_record = records_;
    chunk.records = block_.count();
    chunk.failed = std::exchange(block_failed_, 0);
    chunk.bytes = std::exchange(block_bytes_, 0);
    chunk.content = gzip(block_.take());
    records_ += chunk.records;
    failed_ += chunk.failed;
    chunks.push_back(std::move(chunk));
}

Result<void> DatasetCutter::check() const {
    if (records_ + block_.count() > kDatasetRecords) {
        return fail(Errc::too_large, "The file has more than " + std::to_string(kDatasetRecords) +
                                         " records, the most that a dataset may have.");
    }
    for (const std::string& name : columns()) {
        if (name.find('\0') != name.npos) {
            return fail(Errc::invalid_input, "The name of the column \"" +
                                                 name.substr(0, name.find('\0')) +
                                                 "…\" contains U+0000.");
        }
    }
    if (format_ == text::RecordFormat::json_lines) return {};
    std::size_t bytes = 0;
    for (const std::string& name : scanner_->header()) bytes += name.size();
    if (scanner_->header().size() > kDatasetColumns || bytes > kDatasetHeaderBytes) {
        return fail(Errc::too_large, "The header has more than " + std::to_string(kDatasetColumns) +
                                         " columns or " + std::to_string(kDatasetHeaderBytes) +
                                         " bytes.");
    }
    return {};
}

}  // namespace plimsoll::jobs
