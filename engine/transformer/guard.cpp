#include "engine/transformer/guard.hpp"

#include "engine/base/format_number.hpp"
#include "engine/models/now_text.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>

namespace plimsoll::transformer {
namespace {

using models::Proof;
using routines::Form;
using Clock = std::chrono::steady_clock;

// fp32 is sure of a label that is so much more probable than the next.
constexpr float kSure = 0.1F;
// A column stands out whose largest number is so many times that of the median column.
constexpr float kOutlier = 20;

std::size_t label_of(std::span<const float> probabilities) {
    return static_cast<std::size_t>(std::ranges::max_element(probabilities) -
                                    probabilities.begin());
}

float margin_of(std::span<const float> probabilities) {
    std::vector<float> sorted(probabilities.begin(), probabilities.end());
    std::ranges::sort(sorted, std::greater{});
    return sorted.size() < 2 ? 1.0F : sorted[0] - sorted[1];
}

// Why a form may not be used; empty: it may.
std::string judged(const Proof& proof, Form form) {
    const auto [same_label, difference] = limits_of(form);
    std::string why;
    const auto add = [&](bool failed, const std::string& text) {
        if (failed) why += (why.empty() ? "" : "; ") + text;
    };
    const double share = static_cast<double>(proof.same_label) / static_cast<double>(proof.texts);
    add(share < same_label, format_figure(100 * share) +
                                " % of labels match fp32, below the required " +
                                format_figure(100 * same_label) + " %");
    add(proof.difference_p99 > difference, "1 % of probabilities differ by more than " +
                                               format_figure(proof.difference_p99) +
                                               ", above the allowed " + format_figure(difference));
    add(proof.flips != 0, format_count(static_cast<std::int64_t>(proof.flips)) +
                              " labels differ although fp32's margin is clear");
    add(!why.empty() && proof.outlier_columns != 0,
        format_count(static_cast<std::int64_t>(proof.outlier_columns)) +
            " columns have values up to " + format_figure(proof.outlier_ratio) +
            " times the median");
    return why;
}

// What a form says of all texts, and what it took.
struct Trial {
    std::vector<float> probabilities;
    std::vector<float> largest;  // of every column of what layers hand on
    std::size_t labels = 0;
    double seconds = 0;
    std::string method;
};

Result<Trial> try_form(const Guarded& guarded, Form form, const Watch& watch) {
    const auto& [folder, programs, ledger, capability, plans, texts] = guarded;
    const auto classifier =
        TextClassifier::load(folder, programs, ledger, capability, plans, form, watch);
    if (!classifier) return fail(classifier.error());
    const auto& config = (*classifier)->model().config();
    Trial said;
    said.labels = config.labels.size();
    said.method = to_string(method_for(capability, form));
    said.largest.resize(config.hidden);
    const auto look = [&](std::span<const float> hidden) {
        for (std::size_t i = 0; i < hidden.size(); ++i) {
            auto& largest = said.largest[i % config.hidden];
            largest = std::max(largest, std::abs(hidden[i]));
        }
    };
    const auto classify = [&](const Classifier::Seen& seen) {
        std::size_t at = 0;
        std::string_view text;
        const auto next = [&]() -> Result<const std::string_view*> {
            if (at == texts.size()) return nullptr;
            text = texts[at++];
            return &text;
        };
        return (*classifier)->classify(next, texts.size(), watch, [](std::size_t) {}, seen);
    };
    // Kernels are built, and numbers looked at; then the time is taken.
    const auto found = classify(look);
    if (!found) return fail(found.error());
    for (const auto& one : *found) {
        said.probabilities.insert(said.probabilities.end(), one.probabilities.begin(),
                                  one.probabilities.end());
    }
    const auto began = Clock::now();
    if (const auto again = classify(nullptr); !again) return fail(again.error());
    said.seconds = std::chrono::duration<double>(Clock::now() - began).count();
    return said;
}

}  // namespace

Limits limits_of(Form form) {
    return form == Form::bf16 ? Limits{0.995, 0.01} : Limits{0.99, 0.03};
}

void compare(std::span<const float> exact, std::span<const float> found, std::size_t labels,
             Form form, Proof& into) {
    std::vector<double> differences;
    for (std::size_t i = 0; i < exact.size(); ++i) {
        const double difference = std::abs(double{exact[i]} - found[i]);
        // A number that is none is as far away as can be.
        differences.push_back(std::isnan(difference) ? 1 : difference);
    }
    into.texts = exact.size() / labels;
    for (std::size_t text = 0; text < into.texts; ++text) {
        const auto expected = exact.subspan(text * labels, labels);
        if (label_of(expected) == label_of(found.subspan(text * labels, labels))) {
            ++into.same_label;
        } else if (margin_of(expected) > kSure) {
            ++into.flips;
        }
    }
    std::ranges::sort(differences);
    into.difference_most = differences.back();
    into.difference_p99 = differences[(differences.size() - 1) * 99 / 100];
    into.why = judged(into, form);
    into.passed = into.why.empty();
}

void find_outliers(std::vector<float> largest, Proof& into) {
    auto sorted = largest;
    const auto middle = sorted.begin() + static_cast<std::ptrdiff_t>(sorted.size() / 2);
    std::ranges::nth_element(sorted, middle);
    const float median = *middle;
    if (median <= 0) return;
    into.outlier_columns = static_cast<std::uint64_t>(
        std::ranges::count_if(largest, [&](float one) { return one > kOutlier * median; }));
    into.outlier_ratio = std::ranges::max(largest) / median;
}

Result<Proven> prove(const Guarded& guarded, std::span<const Form> forms, const Watch& watch) {
    if (guarded.texts.empty()) {
        return fail(Errc::invalid_input, "There are no texts to compare the forms on.", "texts");
    }
    auto exact = try_form(guarded, Form::fp32, watch);
    if (!exact) return fail(exact.error());
    Proven proven;
    for (const auto form : forms) {
        auto found = try_form(guarded, form, watch);
        if (!found) return fail(found.error());
        Proof proof{.form = std::string(to_string(form)),
                    .method = found->method,
                    .why = {},
                    .speedup = exact->seconds / found->seconds,
                    .device = guarded.capability.info.name,
                    .proven_at = models::now_text()};
        find_outliers(exact->largest, proof);
        compare(exact->probabilities, found->probabilities, exact->labels, form, proof);
        proven.said.push_back({proof.form, std::move(found->probabilities)});
        proven.proofs.push_back(std::move(proof));
    }
    proven.said.insert(proven.said.begin(),
                       {std::string(to_string(Form::fp32)), std::move(exact->probabilities)});
    return proven;
}

}  // namespace plimsoll::transformer
