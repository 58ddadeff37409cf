#pragma once

#include <span>
#include <string_view>

namespace plimsoll::jobs::training_config {

// Keys that may change what a run needs, and are not modelled.
struct WeighingKeys {
    enum class Effect {
        decides,  // may change whether the run fits: no estimate
        names,    // changes little, or the safe way: a note
        belongs,  // the key alone, whatever its value, shows another kind of run: no estimate
        prefers   // likewise, of a trainer of preferences, whose method must be known
    };
    std::string_view keys;  // names below the mapping, separated by blanks
    std::string_view why;   // what it does, after "KEY is VALUE: "
    std::string_view harmless =
        {};  // values that change nothing, besides none, false, zero and "auto";
             // "<=8" admits numbers
    Effect effect = Effect::decides;
};

// What is known of a library's configuration besides the keys that are read. A mapping that is
// itself listed is not looked into.
struct KnownKeys {
    std::string_view harmless;  // separated by blanks
    std::span<const WeighingKeys> weighing;
};

bool has_word(std::string_view words, std::string_view word);

extern const KnownKeys kTransformersKeys, kTrlKeys, kPeftKeys, kLlamaFactoryKeys, kAccelerateKeys,
    kDeepSpeedKeys, kLightningKeys, kAxolotlKeys, kTorchtuneKeys;

}  // namespace plimsoll::jobs::training_config
