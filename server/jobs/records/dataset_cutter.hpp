#pragma once

#include "engine/base/result.hpp"
#include "engine/text/record_block.hpp"
#include "engine/text/record_scanner.hpp"
#include "server/jobs/records/dataset.hpp"

#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace plimsoll::jobs {

// Cuts a file into chunks as it arrives, in pieces of any size. An unreadable record becomes an
// error in its place. Memory: one chunk and one record.
class DatasetCutter {
  public:
    explicit DatasetCutter(text::RecordFormat format);

    // A cutter that continues from another one's `state()`, possibly in another process.
    // Errc::corrupt if the state is damaged.
    static Result<DatasetCutter> resume(text::RecordFormat format, std::string_view state);
    std::string state() const;

    // Appends the chunks that became full. Fails if the file as a whole cannot be read or has too
    // many records: make no further calls then.
    Result<void> feed(std::string_view bytes, std::vector<DatasetChunk>& chunks);
    // After the last piece; appends the rest.
    Result<void> finish(std::vector<DatasetChunk>& chunks);

    // Of CSV the header; of JSON lines the members of the first records.
    const std::vector<std::string>& columns() const;
    // Of the chunks so far.
    std::int64_t records() const { return records_; }
    std::int64_t failed() const { return failed_; }

  private:
    void take(const text::RawRecord& raw, std::vector<DatasetChunk>& chunks);
    void note_members(std::string_view raw);
    void note_member(const std::string& name);
    void end_chunk(std::vector<DatasetChunk>& chunks);
    Result<void> check() const;
    bool load(std::string_view state);

    text::RecordFormat format_;
    std::unique_ptr<text::RecordScanner> scanner_;
    text::RecordBlockWriter block_;
    std::vector<std::string> members_;
    std::int64_t records_ = 0;
    std::int64_t failed_ = 0;
    std::int64_t block_failed_ = 0;
    std::int64_t block_bytes_ = 0;  // of raw records
};

}  // namespace plimsoll::jobs
