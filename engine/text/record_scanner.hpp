#pragma once

#include "engine/base/result.hpp"
#include "engine/text/byte_order_mark.hpp"
#include "engine/text/record.hpp"

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace plimsoll::text {

enum class RecordFormat { csv, json_lines };

struct ReaderLimits {
    std::size_t record_bytes = 1 << 20;  // a longer record is an error; also what memory is kept
    std::size_t custom_id_characters = 64;
};

// One record as it stands in the file, without its line end, or why it cannot be read.
struct RawRecord {
    std::string_view bytes;  // valid until the sink returns; empty when `error` is set
    std::uint64_t line = 1;  // where it starts in the file, from 1
    std::optional<RecordError> error;
};

using RawSink = std::function<void(const RawRecord&)>;

// Finds the records of a file that comes in pieces of any size; where it is cut changes nothing.
// Every record comes out once, in order: whole, or as an error in its place when its form is broken
// (too long, a quote that never ends, another number of fields than the header's, not JSON). Blank
// lines are skipped. Memory: one record.
class RecordScanner {
  public:
    virtual ~RecordScanner() = default;

    // Fails when the file as a whole cannot be read (UTF-16, no header): then call nothing more.
    Result<void> feed(std::string_view bytes, const RawSink& sink);
    // After the last piece.
    virtual Result<void> finish(const RawSink& sink) = 0;

    // The column names of a CSV file, once its header was read; none of JSON lines.
    virtual const std::vector<std::string>& header() const = 0;

    // Everything it knows, so that another one may go on where this one stands: in another process,
    // on another day. `load` takes it off the front of `rest`; false when it is damaged.
    virtual void save(std::string& out) const;
    virtual bool load(std::string_view& rest);

  protected:
    explicit RecordScanner(ReaderLimits limits) : limits_(limits) {}

    virtual Result<void> take(std::string_view bytes, const RawSink& sink) = 0;
    std::string_view last_bytes() { return mark_.finish(); }

    // A record's bytes so far: those of earlier pieces, and `part` of this one. Beyond the limit
    // they are dropped and the record is overlong.
    void hold(std::string_view part);
    std::string_view whole(std::string_view part);
    void forget();

    ReaderLimits limits_;
    bool overlong_ = false;

  private:
    ByteOrderMark mark_;
    std::string held_;
};

std::unique_ptr<RecordScanner> make_record_scanner(RecordFormat format, ReaderLimits limits = {});

}  // namespace plimsoll::text
