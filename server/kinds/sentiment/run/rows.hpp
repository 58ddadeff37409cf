#pragma once

#include "engine/text/record_block.hpp"
#include "server/kinds/sentiment/run/counters.hpp"
#include "server/kinds/sentiment/run/scores.hpp"

#include <string>
#include <string_view>

namespace plimsoll::jobs::sentiment {

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

}  // namespace plimsoll::jobs::sentiment
