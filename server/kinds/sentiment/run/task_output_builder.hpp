#pragma once

#include "server/jobs/kind.hpp"
#include "server/kinds/sentiment/run/aggregate.hpp"
#include "server/kinds/sentiment/run/rows.hpp"
#include "server/kinds/sentiment/run/scores.hpp"

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <utility>

namespace plimsoll::jobs::sentiment {

// The output of a task, item by item.
class TaskOutputBuilder {
  public:
    // `windows`: rows say how many windows a text was read in.
    explicit TaskOutputBuilder(bool windows) : windows_(windows) {}

    void add(const text::RecordView& item, const TextScores& scores, RowMore more = {});
    // An item that is an error.
    void add_failed(const text::RecordView& item);
    // Adds every item, with its scores unless it is an error. The builder must not move meanwhile.
    TakeScores taker();

    void set(Comparison comparison) { aggregate_.set(std::move(comparison)); }

    TaskOutput finish(const RunContext& context);

  private:
    bool windows_;
    std::string rows_;
    Aggregate aggregate_;
    TaskOutput output_;
    std::map<std::string, std::int64_t, std::less<>> failed_;  // by error code
};

}  // namespace plimsoll::jobs::sentiment
