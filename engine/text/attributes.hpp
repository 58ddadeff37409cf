#pragma once

#include <array>
#include <cstddef>
#include <string_view>

namespace plimsoll::text {

// What an input may say of a text beside its id: where it comes from, when it appeared, and how
// somebody labelled it.
enum class Attribute : unsigned char { source, time, label };

inline constexpr std::array kAttributes = {Attribute::source, Attribute::time, Attribute::label};

// As inputs, columns and rows call it.
constexpr std::string_view name_of(Attribute attribute) {
    constexpr std::array<std::string_view, kAttributes.size()> kNames = {"source", "time", "label"};
    return kNames[static_cast<std::size_t>(attribute)];
}

// One value for each.
template <class T>
class Attributes {
  public:
    T& operator[](Attribute attribute) { return values_[static_cast<std::size_t>(attribute)]; }
    const T& operator[](Attribute attribute) const {
        return values_[static_cast<std::size_t>(attribute)];
    }

  private:
    std::array<T, kAttributes.size()> values_{};
};

}  // namespace plimsoll::text
