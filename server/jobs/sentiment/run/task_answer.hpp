#pragma once

#include "server/jobs/kind.hpp"
#include "server/jobs/sentiment/run/aggregate.hpp"
#include "server/jobs/sentiment/run/rows.hpp"

#include <string>
#include <utility>

namespace plimsoll::jobs::sentiment {

// The output of a task, item by item.
class TaskAnswer {
  public:
    void add(const text::RecordView& item, const TextScores& scores, const RowMore& more = {});
    // An item that is an error.
    void add_failed(const text::RecordView& item);

    void set(Comparison comparison) { aggregate_.set(std::move(comparison)); }

    TaskOutput finish();

  private:
    std::string rows_;
    Aggregate aggregate_;
    TaskOutput output_;
};

}  // namespace plimsoll::jobs::sentiment
