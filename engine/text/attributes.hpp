#pragma once

#include <array>
#include <cstddef>
#include <string_view>

namespace plimsoll::text {

// Attributes of a text besides its ID: source, time, reference label, group, and kept columns: a
// JSON object of strings.
enum class Attribute : unsigned char { source, time, label, group, kept };

inline constexpr std::array kAttributes = {Attribute::source, Attribute::time, Attribute::label,
                                           Attribute::group, Attribute::kept};
// Attributes with one column each; `kept` has any number.
inline constexpr std::array kColumnAttributes = {Attribute::source, Attribute::time,
                                                 Attribute::label, Attribute::group};

// Their names in inputs, columns and rows.
constexpr std::string_view name_of(Attribute attribute) {
    constexpr std::array<std::string_view, kAttributes.size()> kNames = {"source", "time", "label",
                                                                         "group", "kept"};
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
