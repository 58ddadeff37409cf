#include "server/kinds/sentiment/run/task_answer.hpp"

#include "server/base/gzip.hpp"
#include "server/jobs/records/text_rows.hpp"
#include "server/kinds/sentiment/contract/texts.hpp"

namespace plimsoll::jobs::sentiment {

void TaskAnswer::add(const text::RecordView& item, const TextScores& scores, RowMore more) {
    more.windows = windows_;
    append_row(rows_, item, scores, more);
    aggregate_.add(item, scores);
    if (more.choice != nullptr) aggregate_.add(*more.choice);
    ++output_.items_ok;
}

void TaskAnswer::add_failed(const text::RecordView& item) {
    append_failed_text(rows_, kTexts, item);
    aggregate_.add_failed(item);
    ++output_.items_failed;
    ++failed_[std::string(item.error_code)];
}

TaskOutput TaskAnswer::finish(const RunContext& context) {
    aggregate_.add(device_of(context), output_.items_ok);
    if (!failed_.empty()) {
        context.say(LogLevel::warning,
                    failed_summary(failed_, output_.items_ok + output_.items_failed, "texts"));
    }
    output_.results = gzip(rows_);
    output_.partial = aggregate_.to_json();
    return std::move(output_);
}

}  // namespace plimsoll::jobs::sentiment
