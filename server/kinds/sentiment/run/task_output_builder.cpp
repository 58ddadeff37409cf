#include "server/kinds/sentiment/run/task_output_builder.hpp"

#include "server/base/gzip.hpp"
#include "server/jobs/records/text_rows.hpp"
#include "server/kinds/sentiment/contract/texts.hpp"

namespace plimsoll::jobs::sentiment {

void TaskOutputBuilder::add(const text::RecordView& item, const TextScores& scores, RowMore more) {
    more.windows = windows_;
    append_row(rows_, item, scores, more);
    aggregate_.add(item, scores);
    if (more.choice != nullptr) aggregate_.add(*more.choice);
    ++output_.items_ok;
}

void TaskOutputBuilder::add_failed(const text::RecordView& item) {
    append_failed_text(rows_, kTexts, item);
    aggregate_.add_failed(item);
    ++output_.items_failed;
    ++failed_[std::string(item.error_code)];
}

TakeScores TaskOutputBuilder::taker() {
    return [this](const text::RecordView& item, const TextScores* scores) {
        if (scores == nullptr) {
            add_failed(item);
        } else {
            add(item, *scores);
        }
    };
}

TaskOutput TaskOutputBuilder::finish(const RunContext& context) {
    aggregate_.add(device_of(context), output_.items_ok);
    if (!failed_.empty()) {
        context.say(LogLevel::warning,
                    failed_summary(failed_, output_.items_ok + output_.items_failed, "texts"));
    }
    output_.results = gzip(rows_);
    output_.partial = to_text(aggregate_);
    return std::move(output_);
}

}  // namespace plimsoll::jobs::sentiment
