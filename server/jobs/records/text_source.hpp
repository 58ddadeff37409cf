#pragma once

#include "engine/base/result.hpp"
#include "engine/text/record_block.hpp"
#include "engine/text/record_layout.hpp"
#include "server/jobs/records/text_kind.hpp"

#include <optional>
#include <string_view>

#include <nlohmann/json_fwd.hpp>

// Where a job's texts are stored: inline jobs store them as they are; jobs on a dataset share its
// raw records, and their args say which columns to use.
namespace plimsoll::jobs {

// "source" of a plan's args.
nlohmann::json source_json(const text::RecordLayout& layout);

// The items of a task, one after the other.
class TextSource {
  public:
    // `args` are the plan's, `block` is the unpacked input; both outlive this.
    static Result<TextSource> open(const TextKind& kind, std::string_view args,
                                   std::string_view block);

    std::uint32_t count() const { return reader_.count(); }

    // The next item, valid until the next call; nothing after the last. An unusable text becomes an
    // error in its place.
    Result<std::optional<text::RecordView>> next();

  private:
    explicit TextSource(text::RecordBlockReader reader) : reader_(reader) {}

    text::RecordBlockReader reader_;
    std::optional<text::RecordLayout> layout_;
    std::size_t longest_text_ = 0;
    text::Record parsed_;
};

// A text over the limit becomes an error in its place.
void refuse_long_text(text::Record& record, std::size_t longest);

}  // namespace plimsoll::jobs
