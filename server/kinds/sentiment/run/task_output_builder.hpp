#pragma once

#include "engine/text/record_block.hpp"
#include "server/jobs/kind.hpp"
#include "server/kinds/sentiment/run/aggregate.hpp"
#include "server/kinds/sentiment/run/counters.hpp"
#include "server/kinds/sentiment/run/scores.hpp"

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <utility>

namespace plimsoll::jobs::sentiment {

// The beginning of a text, to recognize it in rows and reports: at most 280 code points of valid
// UTF-8, never cut inside one.
std::string_view excerpt(std::string_view text);

// What the rows of some jobs contain besides the scores.
struct RowMore {
    const Choice* choice = nullptr;  // of a policy, with the reason
    std::string_view reason = {};
    std::string_view model = {};  // of a comparison: the model of these scores
    std::string models = {};      // of a comparison: JSON text of each model's scores
    bool whole = false;           // the whole text instead of its beginning
    bool windows = false;         // how many windows a model read the text in
};

// A result row with the contract's columns, as one JSON line.
void append_row(std::string& out, const text::RecordView& record, const TextScores& scores,
                const RowMore& more);

// The output of a task, item by item.
class TaskOutputBuilder {
  public:
    // `windows`: rows say how many windows a text was read in.
    // `model`: of every row, unless the row names its own.
    explicit TaskOutputBuilder(bool windows, std::string model = {})
        : windows_(windows), model_(std::move(model)) {}

    void add(const text::RecordView& item, const TextScores& scores, RowMore more = {});
    // An item that is an error.
    void add_failed(const text::RecordView& item);
    // Adds every item, with its scores unless it is an error. The builder must not move meanwhile.
    TakeScores taker();

    void set(Comparison comparison) { aggregate_.set(std::move(comparison)); }

    TaskOutput finish(const RunContext& context);

  private:
    bool windows_;
    std::string model_;
    std::string rows_;
    Aggregate aggregate_;
    TaskOutput output_;
    std::map<std::string, std::int64_t, std::less<>> failed_;  // by error code
};

}  // namespace plimsoll::jobs::sentiment
