#include "engine/transformer/guard.hpp"

#include "engine/base/format_number.hpp"
#include "engine/models/digest.hpp"
#include "engine/transformer/interleaved_timing.hpp"

#include <algorithm>
#include <array>
#include <cmath>

namespace plimsoll::transformer {
namespace {

using models::Proof;
using routines::Form;

// fp32 is certain of a label that is this much more probable than the next.
constexpr float kSure = 0.1F;
// A column stands out whose largest number is this many times that of the median column.
constexpr float kOutlier = 20;
// At most this many texts are timed, in this many rounds: idle gaps are short.
constexpr std::size_t kMaxTimed = 64;
constexpr std::size_t kRounds = 5;

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
                              " labels differ where fp32 has a clear margin");
    add(!why.empty() && proof.outlier_columns != 0,
        format_count(static_cast<std::int64_t>(proof.outlier_columns)) +
            " columns have values up to " + format_figure(proof.outlier_ratio) +
            " times the median");
    return why;
}

Result<std::unique_ptr<TextClassifier>> load(const Guarded& guarded, routines::Method method,
                                             const Watch& watch) {
    return TextClassifier::load(guarded.folder, guarded.programs, guarded.ledger,
                                guarded.capability, guarded.plans, method, watch);
}

Result<std::vector<Classified>> classify(TextClassifier& classifier,
                                         std::span<const std::string> texts, const Watch& watch,
                                         const Classifier::Seen& seen) {
    std::size_t at = 0;
    std::string_view text;
    const auto next = [&]() -> Result<const std::string_view*> {
        if (at == texts.size()) return nullptr;
        text = texts[at++];
        return &text;
    };
    return classifier.classify(next, texts.size(), watch, [](std::size_t, std::size_t) {}, seen);
}

Result<Trial> try_form(TextClassifier& classifier, std::span<const std::string> texts,
                       const Watch& watch) {
    const std::size_t columns = classifier.model().config().hidden;
    Trial trial;
    trial.largest.resize(columns);
    const auto look = [&](std::span<const float> hidden) {
        for (std::size_t i = 0; i < hidden.size(); ++i) {
            auto& largest = trial.largest[i % columns];
            largest = std::max(largest, std::abs(hidden[i]));
        }
    };
    TRY(const auto found, classify(classifier, texts, watch, look));
    for (const auto& one : found) {
        trial.probabilities.insert(trial.probabilities.end(), one.probabilities.begin(),
                                   one.probabilities.end());
    }
    return trial;
}

struct Speed {
    double speedup = 0;  // over fp32
    double seconds_per_token = 0;
};

// Kernels are built in the first round, or were before.
Result<Speed> speed_of(TextClassifier& exact, TextClassifier& form,
                       std::span<const std::string> texts, const Watch& watch) {
    const auto timed = texts.first(std::min(texts.size(), kMaxTimed));
    std::uint64_t tokens = 0;
    const auto work_of = [&](TextClassifier& classifier) -> Work {
        return [&classifier, &tokens, timed, &watch]() -> Result<void> {
            TRY(auto done, classify(classifier, timed, watch, nullptr));
            tokens = 0;
            for (const auto& one : done)
                if (!one.duplicate) tokens += one.tokens;
            return {};
        };
    };
    const std::array works{work_of(exact), work_of(form)};
    TRY(const auto min, best_seconds(works, kRounds));
    return Speed{
        .speedup = min.front() / min.back(),
        .seconds_per_token = min.back() / static_cast<double>(std::max<std::uint64_t>(1, tokens))};
}

std::vector<routines::Method> methods_of(const opencl::Capability& capability,
                                         std::span<const Form> forms) {
    std::vector<routines::Method> methods;
    for (const auto form : forms) {
        const auto own = methods_for(capability, form);
        methods.insert(methods.end(), own.begin(), own.end());
    }
    return methods;
}

// The output of the last method, unless an earlier one of its form is faster.
void keep_fastest(Proven& proven, std::vector<float> probabilities) {
    const auto& last = proven.proofs.back();
    const bool is_slower = std::ranges::any_of(proven.proofs, [&](const Proof& other) {
        return other.form == last.form && other.speedup > last.speedup;
    });
    if (is_slower) return;
    std::erase_if(proven.outputs, [&](const FormOutput& one) { return one.form == last.form; });
    proven.outputs.push_back({last.form, std::move(probabilities)});
}

}  // namespace

bool is_of(const opencl::Capability& capability, const Proof& proof) {
    const auto form = routines::parse_form(proof.form);
    if (!form || !can_use(capability, *form)) return false;
    return std::ranges::any_of(methods_for(capability, *form), [&](routines::Method method) {
        return to_string(method) == proof.method;
    });
}

std::optional<routines::Method> proven_method(std::span<const Proof> proofs, Form form,
                                              const opencl::Capability& capability) {
    if (form == Form::fp32) return method_for(capability, form);
    const Proof* fastest = nullptr;
    for (const auto& proof : proofs) {
        const bool may_be_used =
            proof.passed && proof.form == to_string(form) && is_of(capability, proof);
        if (may_be_used && (fastest == nullptr || proof.speedup > fastest->speedup))
            fastest = &proof;
    }
    if (fastest == nullptr) return std::nullopt;
    return routines::parse_method(fastest->method);
}

Limits limits_of(Form form) {
    return form == Form::bf16 ? Limits{0.995, 0.01} : Limits{0.99, 0.03};
}

void compare(std::span<const float> exact, std::span<const float> found, std::size_t labels,
             Form form, Proof& into) {
    std::vector<double> differences;
    for (std::size_t i = 0; i < exact.size(); ++i) {
        const double difference = std::abs(double{exact[i]} - found[i]);
        // NaN counts as the largest possible difference.
        differences.push_back(std::isnan(difference) ? 1 : difference);
    }
    into.texts = exact.size() / labels;
    for (std::size_t text = 0; text < into.texts; ++text) {
        const auto expected = exact.subspan(text * labels, labels);
        if (label_of(expected) == label_of(found.subspan(text * labels, labels)))
            ++into.same_label;
        else if (margin_of(expected) > kSure)
            ++into.flips;
    }
    std::ranges::sort(differences);
    into.max_difference = differences.back();
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

Result<Trial> try_exact(const Guarded& guarded, const Watch& watch) {
    if (guarded.texts.empty())
        return fail(Errc::invalid_input, "There are no texts to compare the forms on.", "texts");
    const auto fp32 = load(guarded, method_for(guarded.capability, Form::fp32), watch);
    return fp32 ? try_form(**fp32, guarded.texts, watch) : fail(fp32.error());
}

Result<ProvenMethod> prove_method(const Guarded& guarded, const Trial& exact,
                                  routines::Method method, const Watch& watch) {
    const auto form = form_of(method);
    TRY(const auto classifier, load(guarded, method, watch));
    TRY(auto found, try_form(*classifier, guarded.texts, watch));
    TRY(const auto fp32, load(guarded, method_for(guarded.capability, Form::fp32), watch));
    TRY(const auto speed, speed_of(*fp32, *classifier, guarded.texts, watch));
    Proof proof{.form = std::string(to_string(form)),
                .method = std::string(to_string(method)),
                .why = {},
                .speedup = speed.speedup,
                .seconds_per_token = speed.seconds_per_token,
                .device = guarded.capability.info.name,
                .proven_at = models::now_text()};
    find_outliers(exact.largest, proof);
    const std::size_t labels = fp32->model().config().labels.size();
    compare(exact.probabilities, found.probabilities, labels, form, proof);
    return ProvenMethod{std::move(proof), std::move(found.probabilities)};
}

Result<Proven> prove(const Guarded& guarded, std::span<const Form> forms, const Watch& watch) {
    TRY(auto exact, try_exact(guarded, watch));
    Proven proven;
    for (const auto method : methods_of(guarded.capability, forms)) {
        TRY(auto one, prove_method(guarded, exact, method, watch));
        proven.proofs.push_back(std::move(one.proof));
        keep_fastest(proven, std::move(one.probabilities));
    }
    proven.outputs.insert(proven.outputs.begin(),
                          {std::string(to_string(Form::fp32)), std::move(exact.probabilities)});
    return proven;
}

}  // namespace plimsoll::transformer
