#pragma once

#include "engine/base/result.hpp"

#include <cstddef>
#include <cstdint>
#include <deque>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace plimsoll::model_files {

// A pickle's values, with nothing that could be run: calls are only named. Containers refer to
// their members by place in `values`, so that no nesting, however deep or circular, uses stack.
struct Pickle {
    enum class Kind {
        none,
        boolean,
        integer,
        text,
        sequence,    // tuple or list
        mapping,     // keys and values in turn
        global,      // `text` is "module name"
        call,        // items: the global, its arguments
        persistent,  // items: the one value
        other,       // a number or bytes that no model file needs
    };
    using Place = std::uint32_t;
    struct Value {
        Kind kind = Kind::none;
        std::int64_t integer = 0;
        std::string text;
        std::vector<Place> items;
    };
    std::deque<Value> values;
    Place root = 0;
    std::size_t bytes = 0;  // up to and including STOP

    const Value& at(Place place) const { return values[place]; }
};

// Reads one pickle of protocol 2 to 4 from the beginning of `bytes`. Globals outside `allowed`
// ("module name") are refused by name, as is every operation that a file of tensors does not need.
// Errc::corrupt, also beyond a million values.
Result<Pickle> read_pickle(std::span<const std::byte> bytes,
                           std::span<const std::string_view> allowed);

}  // namespace plimsoll::model_files
