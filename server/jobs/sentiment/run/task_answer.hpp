#pragma once

#include "server/jobs/kind.hpp"
#include "server/jobs/sentiment/run/aggregate.hpp"

#include <string>

namespace plimsoll::jobs::sentiment {

// What a task answers, item by item.
class TaskAnswer {
  public:
    // `reason` is what row and report say of a policy's choice; both are null without a policy.
    void add(const text::RecordView& item, const TextScores& scores, const Choice* choice = nullptr,
             std::string_view reason = {});
    // An item that is an error.
    void add_failed(const text::RecordView& item);

    TaskOutput finish();

  private:
    std::string rows_;
    Aggregate aggregate_;
    TaskOutput output_;
};

}  // namespace plimsoll::jobs::sentiment
