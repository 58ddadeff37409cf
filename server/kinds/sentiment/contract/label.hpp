#pragma once

#include <string_view>

namespace plimsoll::jobs::sentiment {

// The classes of plimsoll::sentiment::Table, in its order.
enum class Label { positive, neutral, negative };

std::string_view to_string(Label label);

}  // namespace plimsoll::jobs::sentiment
