#include "engine/waves/series/unknown_symbols.hpp"

#include "engine/base/closest.hpp"
#include "engine/base/format_number.hpp"

#include <vector>

namespace plimsoll::waves {
namespace {

constexpr std::size_t kMostNamed = 10;
constexpr std::size_t kMostCompared = 2000;  // a suggestion must not cost more than the reading

}  // namespace

std::string unknown_symbols(const std::set<std::string>& missing,
                            const std::set<std::string>& known) {
    std::string text = missing.size() == 1 ? "There is no symbol " : "There are no symbols ";
    std::size_t named = 0;
    for (const auto& symbol : missing) {
        if (named == kMostNamed) break;
        text += (named++ == 0 ? "\"" : ", \"") + symbol + "\"";
    }
    if (named < missing.size())
        text += " and " + format_count(static_cast<std::int64_t>(missing.size() - named)) + " more";
    text += ".";
    if (missing.size() == 1 && known.size() <= kMostCompared)
        text +=
            did_you_mean(*missing.begin(), std::vector<std::string>(known.begin(), known.end()));
    return text;
}

}  // namespace plimsoll::waves
