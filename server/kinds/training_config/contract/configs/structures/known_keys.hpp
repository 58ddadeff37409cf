#pragma once

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

namespace plimsoll::jobs::training_config {

// Keys that may change what a run needs, and are not modelled: a row of known_keys.yaml, which
// explains the members.
struct WeighingKeys {
    enum class Effect { decides, names, belongs, prefers, asks, excludes };
    std::string keys;  // names below the mapping, separated by blanks
    std::string why;
    std::string harmless;
    Effect effect;
};

// What is known of a library's configuration besides the keys that are read.
struct KnownKeys {
    std::string harmless;  // separated by blanks
    std::vector<WeighingKeys> weighing;
};

// Of known_keys.yaml: "transformers", "llama_factory".
const KnownKeys& known_keys(std::string_view library);

bool has_word(std::string_view words, std::string_view word);

template <class Use>
void each_word(std::string_view words, const Use& use) {
    while (!words.empty()) {
        const auto end = std::min(words.find(' '), words.size());
        if (end > 0) use(words.substr(0, end));
        words.remove_prefix(std::min(end + 1, words.size()));
    }
}

}  // namespace plimsoll::jobs::training_config
