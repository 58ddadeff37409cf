#pragma once

#include "engine/text/record_block.hpp"
#include "server/jobs/kind.hpp"

#include <vector>

namespace plimsoll::jobs::sentiment {

// Cuts records into tasks as they come. Memory: one task's records.
class TaskCutter {
  public:
    TaskCutter() : block_(0) {}

    // Appends to `tasks` whenever one is full. A text over the limit becomes an error in its place.
    void add(text::Record record, std::vector<TaskSpec>& tasks);
    // The rest, if any.
    void finish(std::vector<TaskSpec>& tasks);

  private:
    text::RecordBlockWriter block_;
    std::size_t text_bytes_ = 0;
};

}  // namespace plimsoll::jobs::sentiment
