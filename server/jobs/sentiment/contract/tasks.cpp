#include "server/jobs/sentiment/contract/tasks.hpp"

#include "server/base/gzip.hpp"
#include "server/jobs/sentiment/contract/limits.hpp"

#include <utility>

namespace plimsoll::jobs::sentiment {
namespace {

// One core: unpacking, scoring and packing the result row. The charge is corrected by what the task
// really took.
constexpr double kSecondsPerItem = 2e-6;
constexpr double kSecondsPerByte = 15e-9;

}  // namespace

void TaskCutter::add(text::Record record, std::vector<TaskSpec>& tasks) {
    if (!record.error && record.text.size() > kLongestText) {
        record.error = text::RecordError{
            "too_large", "The text has " + std::to_string(record.text.size()) + " bytes; at most " +
                             std::to_string(kLongestText) + " are scored."};
    }
    // Closed before the record that would not fit: an item has at most kLongestText bytes.
    if (block_.count() != 0 && block_.bytes() + record.text.size() > kTaskBytes) finish(tasks);
    if (!record.error) text_bytes_ += record.text.size();
    block_.add(record);
    if (block_.count() == kTaskItems) finish(tasks);
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
