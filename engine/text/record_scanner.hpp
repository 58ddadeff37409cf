#pragma once

#include "engine/base/result.hpp"
#include "engine/text/record.hpp"
#include "engine/text/utf8.hpp"

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
    std::size_t record_bytes = 1 << 20;     // a longer record is an error; also the memory retained
    std::size_t custom_id_characters = 64;  // also of attributes with one column
    std::size_t kept_bytes = 4096;          // of the attribute `kept`
};

// One raw record of the file without its line end, or why it cannot be read.
struct RawRecord {
    // Valid until the sink returns; empty when `error` is set. Fields of CSV are separated by
    // commas.
    std::string_view bytes;
    std::uint64_t line = 1;  // where it starts in the file, from 1
    std::optional<RecordError> error;
};

using RawSink = std::function<void(const RawRecord&)>;

// Splits a file that arrives in pieces of any size into records; the result does not depend on the
// pieces. Every record is reported once, in order: whole, or as an error in its place when it is
// malformed (too long, an unterminated quote, a wrong number of fields, not JSON). Blank lines are
// skipped. Memory: one record.
class RecordScanner {
  public:
    virtual ~RecordScanner() = default;

    // Fails when the file as a whole cannot be read (no header); make no further calls then.
    Result<void> feed(std::string_view bytes, const RawSink& sink);
    // After the last piece.
    virtual Result<void> finish(const RawSink& sink) = 0;

    // The column names of a CSV file, once its header has been read; empty for JSON lines.
    virtual const std::vector<std::string>& header() const = 0;
    // The separator of a CSV file, once its header has been read; 0 for JSON lines.
    virtual char delimiter() const = 0;

    // Saves the whole state, so that another scanner, possibly in another process, can resume.
    // `load` removes it from the front of `rest`; false when it is damaged.
    virtual void save(std::string& out) const;
    virtual bool load(std::string_view& rest);

  protected:
    explicit RecordScanner(ReaderLimits limits) : limits_(limits) {}

    virtual Result<void> take(std::string_view bytes, const RawSink& sink) = 0;
    std::string_view last_bytes() { return input_.finish(); }

    // Appends `part` to the record's bytes from earlier pieces. Beyond the limit they are dropped
    // and the record is too long.
    void hold(std::string_view part);
    std::string_view whole(std::string_view part);
    void forget();

    ReaderLimits limits_;
    bool overlong_ = false;

  private:
    Utf8Input input_;
    std::string held_;
};

std::unique_ptr<RecordScanner> make_record_scanner(RecordFormat format, ReaderLimits limits = {});

}  // namespace plimsoll::text
