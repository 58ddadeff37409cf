#pragma once

#include "engine/text/record_block.hpp"
#include "server/jobs/sentiment/run/scores.hpp"

#include <string>

namespace plimsoll::jobs::sentiment {

// A result row of the contract's columns, as one JSON line.
void append_row(std::string& out, const text::RecordView& record, const TextScores& scores);

}  // namespace plimsoll::jobs::sentiment
