#pragma once

#include "engine/text/record_block.hpp"
#include "server/jobs/sentiment/run/choices.hpp"
#include "server/jobs/sentiment/run/scores.hpp"

#include <string>
#include <string_view>

namespace plimsoll::jobs::sentiment {

// A result row of the contract's columns, as one JSON line. `choice` and `reason`: of a policy;
// null without one.
void append_row(std::string& out, const text::RecordView& record, const TextScores& scores,
                const Choice* choice, std::string_view reason);

}  // namespace plimsoll::jobs::sentiment
