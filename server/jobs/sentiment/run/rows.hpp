#pragma once

#include "engine/sentiment/vader/vader.hpp"
#include "engine/text/record_block.hpp"

#include <cstdint>
#include <string>

namespace plimsoll::jobs::sentiment {

// A result row of the contract's columns, as one JSON line. `compound` is scores.compound in units
// of 1/10000.
void append_row(std::string& out, const text::RecordView& record,
                const ::plimsoll::sentiment::vader::Scores& scores, std::int64_t compound);

}  // namespace plimsoll::jobs::sentiment
