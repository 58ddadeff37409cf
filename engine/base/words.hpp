#pragma once

#include <iterator>
#include <optional>
#include <span>
#include <string_view>
#include <type_traits>

// Names of enumerators and the like, in tables that are read both ways.
namespace plimsoll {

template <class Value>
struct Word {
    std::string_view text;
    Value value;
};

template <class Words>
constexpr auto value_of(const Words& words, std::string_view text) {
    std::optional<std::remove_cvref_t<decltype(std::begin(words)->value)>> found;
    for (const auto& word : words)
        if (word.text == text) found = word.value;
    return found;
}

template <class Words, class Value>
constexpr std::string_view text_of(const Words& words, Value value) {
    for (const auto& word : words)
        if (word.value == value) return word.text;
    return {};
}

// An enumeration beside which words_of() gives its table: members.hpp writes it as text.
template <class Value>
concept Worded = std::is_enum_v<Value> && requires(Value value) { words_of(value); };

template <Worded Value>
constexpr std::string_view to_string(Value value) {
    return text_of(words_of(value), value);
}

}  // namespace plimsoll
