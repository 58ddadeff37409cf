#include "engine/base/closest.hpp"

#include <algorithm>
#include <cctype>
#include <limits>
#include <utility>
#include <vector>

namespace plimsoll {
namespace {

constexpr std::size_t kLongest = 100;  // characters; longer texts are not mistyped names

std::string plain(std::string_view text) {
    std::string letters;
    for (const unsigned char c : text.substr(0, kLongest))
        if (std::isalnum(c) != 0 || c >= 0x80) letters += static_cast<char>(std::tolower(c));
    return letters;
}

bool is_digit(char c) { return c >= '0' && c <= '9'; }

// A wrong letter is a typing error; a wrong digit usually names another size or version.
std::size_t substitution(char a, char b) {
    if (a == b) return 0;
    return is_digit(a) || is_digit(b) ? 2 : 1;
}

// Optimal string alignment distance.
std::size_t distance(const std::string& a, const std::string& b) {
    std::vector<std::vector<std::size_t>> cost(a.size() + 1,
                                               std::vector<std::size_t>(b.size() + 1));
    for (std::size_t i = 0; i <= a.size(); ++i) cost[i][0] = i;
    for (std::size_t j = 0; j <= b.size(); ++j) cost[0][j] = j;
    for (std::size_t i = 1; i <= a.size(); ++i) {
        for (std::size_t j = 1; j <= b.size(); ++j) {
            cost[i][j] = std::min({cost[i - 1][j] + 1, cost[i][j - 1] + 1,
                                   cost[i - 1][j - 1] + substitution(a[i - 1], b[j - 1])});
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
                cost[i][j] = std::min(cost[i][j], cost[i - 2][j - 2] + 1);
        }
    }
    return cost[a.size()][b.size()];
}

std::size_t common_prefix(const std::string& a, const std::string& b) {
    const auto ends = std::ranges::mismatch(a, b);
    return static_cast<std::size_t>(ends.in1 - a.begin());
}

constexpr std::size_t kShortestStem = 4;    // letters of a name that the input may go beyond
constexpr std::size_t kShortestPrefix = 2;  // letters of the beginning of a name
constexpr std::size_t kAbbreviation = 3;    // letters: another first one makes another name
constexpr std::size_t kMaxSuggestions = 3;

// The names that begin with the input; only the shortest if all others begin with it.
std::vector<std::string> completions(const std::string& wanted,
                                     std::span<const std::string> known) {
    std::vector<std::string> names;
    if (wanted.size() < kShortestPrefix) return names;
    for (const auto& name : known)
        if (plain(name).starts_with(wanted)) names.push_back(name);
    for (const auto& one : names) {
        const auto letters = plain(one);
        if (std::ranges::all_of(
                names, [&](const std::string& name) { return plain(name).starts_with(letters); })) {
            return {one};
        }
    }
    return names;
}

// The single name that was probably meant, if none begins with the input.
const std::string* corrected(const std::string& wanted, std::span<const std::string> known) {
    const std::string* best = nullptr;
    auto fewest = std::numeric_limits<std::size_t>::max();
    std::size_t best_prefix = 0;
    const std::string* holder = nullptr;
    int holders = 0;
    const std::string* stem = nullptr;
    std::size_t stem_size = kShortestStem - 1;
    for (const auto& name : known) {
        const auto letters = plain(name);
        if (letters.find(wanted) != letters.npos) {
            holder = &name;
            ++holders;
        }
        if (letters.size() > stem_size && wanted.starts_with(letters)) {
            stem = &name;
            stem_size = letters.size();
        }
        const auto wrong = distance(wanted, letters);
        const auto prefix = common_prefix(wanted, letters);
        if (wrong < fewest || (wrong == fewest && prefix > best_prefix)) {
            fewest = wrong;
            best_prefix = prefix;
            best = &name;
        }
    }
    if (holders == 1 && wanted.size() > 1) return holder;
    // "ppo" is a method of its own, not a mistyped "dpo".
    const bool alike = wanted.size() > kAbbreviation || best_prefix > 0;
    if (best != nullptr && fewest * 3 <= wanted.size() && alike) return best;
    return stem;
}

std::vector<std::string> candidates(std::string_view typed, std::span<const std::string> known) {
    const auto wanted = plain(typed);
    if (wanted.empty()) return {};
    for (const auto& name : known)
        if (plain(name) == wanted) return {name};
    auto names = completions(wanted, known);
    if (!names.empty()) return names;
    const auto* name = corrected(wanted, known);
    return name == nullptr ? names : std::vector{*name};
}

}  // namespace

std::optional<std::string> closest(std::string_view typed, std::span<const std::string> known) {
    auto names = candidates(typed, known);
    if (names.size() != 1) return std::nullopt;
    return std::move(names.front());
}

std::string did_you_mean(std::string_view typed, std::span<const std::string> known) {
    const auto names = candidates(typed, known);
    if (names.empty() || names.size() > kMaxSuggestions) return {};
    std::string list;
    for (std::size_t i = 0; i < names.size(); ++i) {
        if (i > 0) list += i + 1 == names.size() ? " or " : ", ";
        list += "\"" + names[i] + "\"";
    }
    return " Did you mean " + list + "?";
}

}  // namespace plimsoll
