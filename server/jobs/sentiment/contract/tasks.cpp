#include "server/jobs/sentiment/contract/tasks.hpp"

#include "server/base/gzip.hpp"
#include "server/jobs/dataset.hpp"
#include "server/jobs/sentiment/contract/limits.hpp"
#include "server/jobs/sentiment/contract/source.hpp"

#include <utility>

namespace plimsoll::jobs::sentiment {
void TaskCutter::add(text::Record record, std::vector<TaskSpec>& tasks) {
    refuse_long_text(record);
    // Closed before the record that would not fit: an item has at most kLongestText bytes.
    if (block_.count() != 0 && block_.bytes() + record.text.size() > kChunkBytes) finish(tasks);
    if (!record.error) text_bytes_ += record.text.size();
    block_.add(record);
    if (block_.count() == kChunkRecords) finish(tasks);
}

void TaskCutter::finish(std::vector<TaskSpec>& tasks) {
    const std::uint32_t items = block_.count();
    if (items == 0) return;
    TaskSpec task;
    task.items = items;
    task.estimated_seconds =
        items * kSecondsPerItem + static_cast<double>(text_bytes_) * kSecondsPerByte;
    task.input = gzip(block_.take());
    tasks.push_back(std::move(task));
    text_bytes_ = 0;
}

}  // namespace plimsoll::jobs::sentiment
