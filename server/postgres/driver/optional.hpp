#pragma once

#include <optional>
#include <string>
#include <utility>

namespace plimsoll::postgres {

// A column or parameter that may be NULL.
template <class T>
using Maybe = std::optional<T>;

// NULL for an empty text.
inline Maybe<std::string> unless_empty(std::string text) {
    return text.empty() ? std::nullopt : Maybe<std::string>(std::move(text));
}

}  // namespace plimsoll::postgres
