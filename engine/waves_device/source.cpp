#include "engine/waves_device/source.hpp"

#include "engine/kernels/embedded.hpp"
#include "engine/waves/scoring/compatible_score.hpp"
#include "engine/waves/scoring/standard_score.hpp"
#include "engine/waves/search/plan.hpp"

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
        case Quantity::length: return end_of("length", term.wave);
        case Quantity::bars: return "bars_of(p, " + std::to_string(term.wave) + ")";
        case Quantity::price: return end_of("price", term.wave);
        case Quantity::bar: return end_of("at", term.wave);
        case Quantity::breach: return breach_text(term.wave);
        case Quantity::shorter_of_1_and_5:
            return "(p->length[1] < p->length[5] ? p->length[1] : p->length[5])";
        case Quantity::slope_1_3: return "slope(p, 1, 3)";
        case Quantity::slope_2_4: return "slope(p, 2, 4)";
    }
    throw std::logic_error("a quantity without OpenCL C");
}

// Calls f with the targets of a shape.
template <class Use>
void with_targets(Shape shape, Use&& use) {
    switch (shape) {
        case Shape::impulse: return use(standard::Targets<Shape::impulse>{});
        case Shape::zigzag: return use(standard::Targets<Shape::zigzag>{});
        case Shape::flat_regular: return use(standard::Targets<Shape::flat_regular>{});
        case Shape::flat_expanded: return use(standard::Targets<Shape::flat_expanded>{});
        case Shape::flat_running: return use(standard::Targets<Shape::flat_running>{});
        case Shape::leading_diagonal:
        case Shape::corrective: return use(standard::Targets<Shape::leading_diagonal>{});
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

namespace {

std::string number(std::size_t value) { return std::to_string(value); }
std::string number(int value) { return std::to_string(value); }

// The loops over the ends of each wave, one in another, as Descent::wave() has them.
class Loops {
  public:
    Loops(const FamilyView& family, bool counts) : family_(family), counts_(counts) {}

    std::string text() {
        out_ =
            "void descend(Search* s, __global const double* table, uint bars, int base, int "
            "start,\n"
            "             int end, bool to_the_end, int up_to, uint wanted,\n"
            "             __global const double* w) {\n";
        if (family_.swing_start)
            out_ += "if (start > 0 && LOW(base + start - 1) < LOW(base + start)) return;\n";
        out_ +=
            "Path path;\nPath* p = &path;\n"
            "p->at[0] = start;\np->price[0] = LOW(base + start);\n"
            "const uint alive0 = wanted;\n";
        wave(1);
        return out_ + "}\n";
    }

  private:
    void wave(int k) {
        const std::string n = number(k);
        const std::string before = number(k - 1);
        const bool rise = k % 2 == 1;
        const std::string from = "base + p->at[" + before + "]";
        const std::string link = rise ? "RISE" : "FALL";
        out_ += "{\nconst int known" + n + " = " + link + "(1, " + from + ");\n" +  //
                "if (known" + n + " >= end) { HIDDEN(known" + n + ") } else {\n" +  //
                "const int breach" + n + " = " + (rise ? "UNDERCUT(" : "OVERSHOOT(") + from +
                ");\n" +  //
                "int skip" + n + " = " + link + "_FIRST_SKIP(" + from + ");\n" + "int at" + n +
                " = " + link + "(0, " + from + ");\n" +  //
                "if (at" + n + " >= end) { at" + n + " = end - 1; HIDDEN(end) }\n" + "uint open" +
                n + " = alive" + before + ";\n" +  //
                "while (true) {\n" + "if (skip" + n + " >= up_to) { COUNT(1); break; }\n";
        const Guard guard = family_.guard(k);
        if (guard == Guard::always) out_ += "if (at" + n + " > breach" + n + ") break;\n";
        if (guard == Guard::when_skipping)
            out_ += "if (skip" + n + " > 0 && at" + n + " > breach" + n + ") break;\n";
        out_ += "COUNT(0);\np->at[" + n + "] = at" + n + ";\n";
        if (rise)
            out_ += "p->price[" + n + "] = HIGH(base + at" + n + ");\n" +  //
                    "p->length[" + n + "] = p->price[" + n + "] - p->price[" + before + "];\n";
        else
            out_ += "p->price[" + n + "] = LOW(base + at" + n + ");\n" +  //
                    "p->length[" + n + "] = p->price[" + before + "] - p->price[" + n + "];\n";
        out_ += "uint alive" + n + " = open" + n + ";\n";
        for (std::size_t pattern = 0; pattern < family_.patterns.size(); ++pattern)
            tried(k, pattern);
        out_ += "if (open" + n + " == 0) break;\nif (alive" + n + " != 0) {\n";
        survived(k);
        out_ += "}\nconst int onward" + n + " = " + link + "(3, base + at" + n + ");\n" +  //
                "if (onward" + n + " >= end) { HIDDEN(onward" + n + ") break; }\n" +       //
                "at" + n + " = " + link + "(2, base + at" + n + ");\n++skip" + n + ";\n}\n}\n}\n";
    }

    void tried(int k, std::size_t pattern) {
        const unsigned group = plan::group(family_.patterns, pattern, k);
        if (group == 0) return;
        const std::string bits = number(static_cast<std::size_t>(group)) + "u";
        const Pattern& it = family_.patterns[pattern];
        std::string chain;
        for (int r = 0; r < it.rule_count; ++r) {
            const Rule& rule = it.rules[r];
            if (rule.depth() != k) continue;
            chain += std::string(chain.empty() ? "" : "else ") + "if (!(" + term_text(rule.left) +
                     (rule.relation == Relation::above ? " > " : " >= ") + term_text(rule.right) +
                     ")) { alive" + number(k) + " &= ~" + bits + "; COUNT(" +
                     number(rule_counter(family_, pattern, r)) + ");";
            if (plan::final_when_broken(rule)) chain += " open" + number(k) + " &= ~" + bits + ";";
            chain += " }\n";
        }
        if (!chain.empty())
            out_ += "if ((alive" + number(k) + " & " + bits + ") != 0) {\n" + chain + "}\n";
    }

    void survived(int k) {
        const std::string alive = "alive" + number(k);
        for (std::size_t p = 0; p < family_.patterns.size(); ++p) {
            const Pattern& pattern = family_.patterns[p];
            const std::string mine = "(" + alive + " & " + number(std::size_t{1} << p) + "u) != 0";
            const std::string what = number(p) + ", " + number(k) + ")";
            if (pattern.waves == k)
                out_ += "if (" + mine + ") COMPLETE(" + what + "\n";
            else if (counts_ && pattern.open_from > 0 && k >= pattern.open_from &&
                     k < pattern.waves)
                out_ += "if (" + mine + " && " + breach_text(k) + " >= end && p->at[" + number(k) +
                        "] < end - 1) OPEN(" + what + "\n";
        }
        const unsigned longer = plan::with_waves(family_.patterns, k + 1, true);
        if (longer == 0) return;
        out_ += alive + " &= " + number(static_cast<std::size_t>(longer)) + "u;\n";
        if (!counts_) enter(k);
        out_ += "if (" + alive + " != 0)\n";
        wave(k + 1);
    }

    // Prunes branches that cannot beat the best so far, as BestOnly::enter() does.
    void enter(int k) {
        const bool standard = family_.mode == Mode::standard;
        const int early = standard ? StandardScore::kEarly : CompatibleScore::kEarly;
        const int head = standard ? StandardScore::kHead : CompatibleScore::kHead;
        if (k != early && k != head) return;
        for (std::size_t p = 0; p < family_.patterns.size(); ++p) {
            if (family_.patterns[p].waves <= k) continue;
            const std::string best = "s->best[" + number(p) + "]";
            const std::string may = k == early ? "early_" + number(p) + "(p, w, " + best + ")"
                                               : "bound_" + number(p) + "(p, w) > " + best;
            const std::string bit = number(std::size_t{1} << p) + "u";
            out_ += "if ((alive" + number(k) + " & " + bit + ") != 0 && !(" + may + ")) alive" +
                    number(k) + " &= ~" + bit + ";\n";
        }
    }

    const FamilyView& family_;
    bool counts_;
    std::string out_;
};

}  // namespace

std::size_t rule_counter(const FamilyView& family, std::size_t pattern, int rule) {
    std::size_t place = kFinished + family.patterns.size();
    for (std::size_t p = 0; p < pattern; ++p)
        place += static_cast<std::size_t>(family.patterns[p].rule_count);
    return place + static_cast<std::size_t>(rule);
}

std::size_t counters(const FamilyView& family) {
    return rule_counter(family, family.patterns.size(), 0);
}

std::string search_source(const FamilyView& family, bool counts) {
    std::string out;
    out += "#define PATTERNS " + number(family.patterns.size()) + "\n";
    out += "#define COUNTERS " + number(counters(family)) + "\n";
    out += "#define BINS " + number(kScoreBins) + "\n";
    if (counts) out += "#define COUNTS\n";
    if (family.mode == Mode::compatible) out += "#define COMPATIBLE\n";
    for (const char* part : {"waves_bars", "waves_scores", "waves_search"})
        out += kernels::source(part);
    for (std::size_t p = 0; p < family.patterns.size(); ++p) out += scores_text(family, p);
    return out + Loops(family, counts).text();
}

}  // namespace plimsoll::waves
