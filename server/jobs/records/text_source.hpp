#pragma once

#include "engine/base/result.hpp"
#include "engine/text/record_block.hpp"
#include "engine/text/record_layout.hpp"
#include "server/jobs/records/text_args.hpp"

#include <optional>
#include <string_view>

namespace plimsoll::jobs {

// The items of a task, one after the other.
class TextSource {
  public:
    // `block` is the unpacked input; both outlive this.
    static Result<TextSource> open(const TextKind& kind, const TextArgs& args,
                                   std::string_view block);

    std::uint32_t count() const { return reader_.count(); }

    // The next item, valid until the next call; nothing after the last. An unusable text becomes an
    // error in its place.
    Result<std::optional<text::RecordView>> next();

  private:
    explicit TextSource(text::RecordBlockReader reader) : reader_(reader) {}

    text::RecordBlockReader reader_;
    const text::RecordLayout* layout_ = nullptr;  // none: texts are stored as they are
    std::size_t longest_text_ = 0;
    text::Record parsed_;
};

// A text over the limit becomes an error in its place.
void refuse_long_text(text::Record& record, std::size_t longest);

}  // namespace plimsoll::jobs
