#pragma once

#include "server/jobs/kind.hpp"

#include <cstddef>
#include <span>

namespace plimsoll::jobs {

// What a kind of texts defines; the rest of its contract follows from it. Texts come as "texts", as
// "items" (text and custom_id) or from a "dataset" with "columns".
struct TextKind {
    // Columns of a result row: "index", "line" and "custom_id" first, "error_code" and "error"
    // last.
    std::span<const Column> columns;
    // A longer text is an error of its item. In bytes of UTF-8, below kChunkBytes.
    std::size_t longest_text = 0;
    // Estimates, see TaskSpec.
    double seconds_per_item = 0;
    double seconds_per_byte = 0;
};

}  // namespace plimsoll::jobs
