#include "engine/waves_device/terms.hpp"

#include "engine/waves/scoring/standard_score.hpp"

#include <cstdio>
#include <stdexcept>

namespace plimsoll::waves {
namespace {

// To the last bit.
std::string literal(double value) {
    std::array<char, 40> text{};
    std::snprintf(text.data(), text.size(), "%a", value);
    return text.data();
}

std::string end_of(const char* what, int end) {
    return std::string("p->") + what + "[" + std::to_string(end) + "]";
}

std::string quantity_text(const Term& term) {
    switch (term.quantity) {
        case Quantity::length:
            return end_of("length", term.wave);
        case Quantity::bars:
            return "bars_of(p, " + std::to_string(term.wave) + ")";
        case Quantity::price:
            return end_of("price", term.wave);
        case Quantity::bar:
            return end_of("at", term.wave);
        case Quantity::breach:
            return breach_text(term.wave);
        case Quantity::shorter_of_1_and_5:
            return "(p->length[1] < p->length[5] ? p->length[1] : p->length[5])";
        case Quantity::slope_1_3:
            return "slope(p, 1, 3)";
        case Quantity::slope_2_4:
            return "slope(p, 2, 4)";
    }
    throw std::logic_error("a quantity without OpenCL C");
}

// Calls f with the targets of a shape.
template <class Use>
void with_targets(Shape shape, Use&& use) {
    switch (shape) {
        case Shape::impulse:
            return use(standard::Targets<Shape::impulse>{});
        case Shape::zigzag:
            return use(standard::Targets<Shape::zigzag>{});
        case Shape::flat_regular:
            return use(standard::Targets<Shape::flat_regular>{});
        case Shape::flat_expanded:
            return use(standard::Targets<Shape::flat_expanded>{});
        case Shape::flat_running:
            return use(standard::Targets<Shape::flat_running>{});
        case Shape::leading_diagonal:
        case Shape::corrective:
            return use(standard::Targets<Shape::leading_diagonal>{});
    }
}

template <std::size_t N>
std::string closeness_text(const char* name, std::size_t pattern,
                           const std::array<double, N>& targets) {
    std::string chain = "0";
    for (double target : targets) chain = "near(" + chain + ", ratio, " + literal(target) + ")";
    return std::string("inline double ") + name + "_" + std::to_string(pattern) +
           "(double ratio) { return " + chain + "; }\n";
}

// The weakest margin of the rules: standard::margins().
std::string margins_text(const Pattern& pattern, std::size_t place) {
    std::string out = "inline double margins_" + std::to_string(place) +
                      "(const Path* p) {\ndouble weakest = 0.25;\n";
    for (int r = 0; r < pattern.rule_count; ++r) {
        const Rule& rule = pattern.rules[r];
        if (!has_margin(rule)) continue;
        const bool prices = rule.left.quantity == Quantity::price;
        out += "{\nconst double left = " + term_text(rule.left) +
               ";\nconst double right = " + term_text(rule.right) +
               ";\nweakest = weaker(weakest, left, right, " +
               (prices ? "p->length[1]" : "larger(fabs(left), fabs(right))") + ");\n}\n";
    }
    return out + "return larger(0, weakest * 4);\n}\n";
}

}  // namespace

std::string breach_text(int wave) {
    return std::string(wave % 2 == 1 ? "OVERSHOOT" : "UNDERCUT") + "(base + " + end_of("at", wave) +
           ")";
}

std::string term_text(const Term& term) {
    std::string text = quantity_text(term);
    if (term.factor != 1) text = "(" + text + " * " + literal(term.factor) + ")";
    if (term.divisor != 1) text = "(" + text + " / " + literal(term.divisor) + ")";
    return text;
}

std::string scores_text(const FamilyView& family, std::size_t pattern) {
    const Pattern& it = family.patterns[pattern];
    std::string out;
    if (family.mode == Mode::standard) {
        with_targets(it.shape, [&](auto targets) {
            out += closeness_text("second", pattern, targets.second);
            out += closeness_text("third", pattern, targets.third);
            if constexpr (requires { targets.fourth; }) {
                out += closeness_text("fourth", pattern, targets.fourth);
                out += closeness_text("fifth_to_first", pattern, targets.fifth_to_first);
                out += closeness_text("fifth_to_third", pattern, targets.fifth_to_third);
            }
        });
        out += margins_text(it, pattern);
    }
    return out + (it.waves == 5 ? "FIVE(" : "THREE(") + std::to_string(pattern) + ")\n";
}

}  // namespace plimsoll::waves
