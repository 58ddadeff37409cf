#include "engine/sentiment/vader/valence.hpp"

#include <array>
#include <map>
#include <optional>
#include <set>
#include <span>

// Every step and its order follow the reference, odd ones included: scores must agree to the last
// bit. Oddities are noted in place.
namespace plimsoll::sentiment::vader {

namespace {

constexpr double kBoost = 0.293;
constexpr double kCapitals = 0.733;
constexpr double kNegation = -0.74;
constexpr double kNeverSo = 1.25;
// An intensifier loses force with distance from its word.
constexpr std::array<double, 3> kDecay = {1.0, 0.95, 0.9};

struct Idiom {
    std::array<Role, 3> words;
    std::size_t length;
    double valence;
};

constexpr Idiom kIdioms[] = {
    {{Role::the, Role::shit}, 2, 3},           {{Role::the, Role::bomb}, 2, 3},
    {{Role::bad, Role::ass}, 2, 1.5},          {{Role::bus, Role::stop}, 2, 0},
    {{Role::yeah, Role::right}, 2, -2},        {{Role::kiss, Role::of, Role::death}, 3, -1.5},
    {{Role::to, Role::die, Role::for_}, 3, 3}, {{Role::beating, Role::heart}, 2, 3.1},
    {{Role::broken, Role::heart}, 2, -2.9},
};

bool is_dampening_pair(Role first, Role second) {
    return (first == Role::just && second == Role::enough) ||
           (first == Role::kind && second == Role::of) ||
           (first == Role::sort && second == Role::of);
}

bool is_so_or_this(Role role) { return role == Role::so || role == Role::this_; }

class Context {
  public:
    Context(const Tokens& tokens, std::size_t index)
        : tokens_(tokens.all()), index_(index), mixed_case_(tokens.mixed_case()) {}

    double valence() const {
        double v = base();
        if (shouts(index_)) v += v > 0 ? kCapitals : -kCapitals;
        for (std::size_t distance = 0; distance < 3; ++distance) {
            if (index_ <= distance || before(distance).in_lexicon) continue;
            v += boost(distance, v);
            v = negate(distance, v);
            if (distance == 2) v = apply_idioms(v);
        }
        return least(v);
    }

  private:
    const Word& word(std::size_t index) const { return tokens_[index].word; }
    // The word `distance` words further away than the one just before.
    const Word& before(std::size_t distance) const { return word(index_ - distance - 1); }
    Role role(std::size_t index) const { return word(index).role; }
    bool shouts(std::size_t index) const { return mixed_case_ && tokens_[index].upper; }

    double base() const {
        const std::size_t i = index_;
        const double listed = word(i).valence;
        if ((i > 0 && role(i - 1) == Role::no) || (i > 1 && role(i - 2) == Role::no) ||
            (i > 2 && role(i - 3) == Role::no &&
             (role(i - 1) == Role::or_ || role(i - 1) == Role::nor))) {
            return listed * kNegation;
        }
        // "no" before a word with a valence only negates it.
        const bool only_negates =
            role(i) == Role::no && i + 1 < tokens_.size() && word(i + 1).in_lexicon;
        return only_negates ? 0 : listed;
    }

    double boost(std::size_t distance, double v) const {
        const Word& booster = before(distance);
        if (booster.boost == 0) return 0;
        double x = booster.boost * kBoost;
        if (v < 0) x = -x;
        if (shouts(index_ - distance - 1)) x += v > 0 ? kCapitals : -kCapitals;
        return x * kDecay[distance];
    }

    double negate(std::size_t distance, double v) const {
        if (distance == 1) {
            if (before(1).role == Role::never && is_so_or_this(before(0).role)) return v * kNeverSo;
            if (before(1).role == Role::without && before(0).role == Role::doubt) return v;
        } else if (distance == 2) {
            // "so" and "this" just before the word count here even without a "never".
            if ((before(2).role == Role::never && is_so_or_this(before(1).role)) ||
                is_so_or_this(before(0).role)) {
                return v * kNeverSo;
            }
            if (before(2).role == Role::without &&
                (before(1).role == Role::doubt || before(0).role == Role::doubt)) {
                return v;
            }
        }
        return before(distance).negates ? v * kNegation : v;
    }

    std::optional<double> idiom(std::size_t first, std::size_t length) const {
        if (role(first) == Role::other) return std::nullopt;
        for (const Idiom& known : kIdioms) {
            if (known.length != length) continue;
            bool matches = true;
            for (std::size_t k = 0; k < length; ++k) matches &= role(first + k) == known.words[k];
            if (matches) return known.valence;
        }
        return std::nullopt;
    }

    // Needs three words before this one.
    double apply_idioms(double v) const {
        struct Span {
            std::size_t first, length;
        };
        const std::size_t i = index_;
        for (const Span span :
             {Span{i - 1, 2}, Span{i - 2, 3}, Span{i - 2, 2}, Span{i - 3, 3}, Span{i - 3, 2}}) {
            if (const auto found = idiom(span.first, span.length)) {
                v = *found;
                break;
            }
        }
        for (const std::size_t length : {2u, 3u}) {
            if (i + length > tokens_.size()) break;
            if (const auto found = idiom(i, length)) v = *found;
        }
        if (is_dampening_pair(role(i - 3), role(i - 2))) v -= kBoost;
        if (is_dampening_pair(role(i - 2), role(i - 1))) v -= kBoost;
        return v;
    }

    double least(double v) const {
        if (index_ == 0 || role(index_ - 1) != Role::least) return v;
        if (index_ == 1) return v * kNegation;
        const Role earlier = role(index_ - 2);
        return earlier == Role::at || earlier == Role::very ? v : v * kNegation;
    }

    std::span<const Token> tokens_;
    std::size_t index_;
    bool mixed_case_;
};

}  // namespace

double valence_at(const Tokens& tokens, std::size_t index) {
    // "kind of" dampens and carries no valence of its own.
    const std::span<const Token> all = tokens.all();
    if (all[index].word.role == Role::kind && index + 1 < all.size() &&
        all[index + 1].word.role == Role::of) {
        return 0;
    }
    return Context(tokens, index).valence();
}

namespace {

double turned(const Contribution& at, std::uint32_t turn) {
    if (at.token == turn) return at.valence;
    return at.valence * (at.token < turn ? 0.5 : 1.5);
}

void scan(std::vector<Contribution>& all, std::uint32_t turn) {
    for (std::size_t k = 0; k < all.size(); ++k) {
        std::size_t first = 0;
        while (all[first].valence != all[k].valence) ++first;
        all[first].valence = turned(all[first], turn);
    }
}

// The same in O(n log n): a text of many thousand words must not take seconds.
void scan_indexed(std::vector<Contribution>& all, std::uint32_t turn) {
    std::map<double, std::set<std::size_t>> places;
    for (std::size_t k = 0; k < all.size(); ++k) places[all[k].valence].insert(k);
    for (std::size_t k = 0; k < all.size(); ++k) {
        const auto same = places.find(all[k].valence);
        const std::size_t first = *same->second.begin();
        const double value = turned(all[first], turn);
        same->second.erase(first);
        if (same->second.empty()) places.erase(same);
        places[value].insert(first);
        all[first].valence = value;
    }
}

}  // namespace

void apply_contrast(std::vector<Contribution>& contributions, std::uint32_t turn) {
    constexpr std::size_t kScanUpTo = 256;
    if (contributions.size() <= kScanUpTo)
        scan(contributions, turn);
    else
        scan_indexed(contributions, turn);
}

}  // namespace plimsoll::sentiment::vader
