#pragma once

#include "engine/waves/search/patterns.hpp"
#include "engine/waves/settings/settings.hpp"

#include <span>
#include <string_view>

namespace plimsoll::waves {

// A family of patterns as run-time data, converted from the compile-time constants, for kernels
// generated at run time.
struct FamilyView {
    std::string_view name;
    std::span<const Pattern> patterns;
    Guard rises = Guard::none;
    Guard falls = Guard::none;
    bool swing_start = false;
    Mode mode = Mode::standard;

    Guard guard(int wave) const { return wave % 2 == 1 ? rises : falls; }
};

inline FamilyView family_of(Mode mode, bool rising) {
    const auto view = [mode](std::string_view name, const auto& family) {
        return FamilyView{name,         family.patterns,    family.rises,
                          family.falls, family.swing_start, mode};
    };
    if (mode == Mode::standard) return view("standard", standard::kPatterns);
    return rising ? view("compatible rising", compatible::kRising)
                  : view("compatible falling", compatible::kFalling);
}

}  // namespace plimsoll::waves
