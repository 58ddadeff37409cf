#pragma once

#include <cstddef>
#include <string_view>

namespace plimsoll::jobs::sentiment {

// The classes of plimsoll::sentiment::Table, in its order.
enum class Label { positive, neutral, negative };

constexpr std::string_view to_string(Label label) {
    constexpr std::string_view kNames[] = {"positive", "neutral", "negative"};
    return kNames[static_cast<std::size_t>(label)];
}

}  // namespace plimsoll::jobs::sentiment
