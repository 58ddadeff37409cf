// Which of the compared models to use, in one sentence with its trade-off.
#include "engine/base/format_number.hpp"
#include "engine/base/json.hpp"
#include "server/kinds/sentiment/run/comparison/comparison.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

namespace plimsoll::jobs::sentiment {

namespace statistics = ::plimsoll::sentiment;

namespace {

// With fewer the interval of an accuracy is wider than 20 points: models cannot be distinguished.
constexpr std::int64_t kMinLabels = 100;
// How much accuracy speed may cost.
constexpr double kPoints = 0.02;

struct Candidate {
    std::size_t place;
    std::string name;
    double accuracy;
    double speed;  // texts a second
};

json nothing(const std::string& why) {
    return {{"model", nullptr}, {"text", "No model is recommended: " + why}};
}

std::string times(double ratio) {
    return ratio < 9.95 ? fmt::format("{:.1f}", ratio) : format_count(std::llround(ratio));
}

// With a sign, a true minus.
std::string points(double share) {
    auto text = fmt::format("{:+.1f}", 100 * share);
    if (text.starts_with('-')) text.replace(0, 1, "−");
    return text;
}

}  // namespace

std::pair<std::int64_t, std::int64_t> Comparison::gained_and_lost(std::size_t one,
                                                                  std::size_t other) const {
    const OfPair& pair = of_pair_[pair_of(std::min(one, other), std::max(one, other))];
    return one < other ? std::pair(pair.gained, pair.lost) : std::pair(pair.lost, pair.gained);
}

json Comparison::recommendation(const std::vector<ComparedModel>& models) const {
    const auto labelled = given_[0] + given_[1] + given_[2];
    if (labelled == 0) return nothing("the texts have no labels to evaluate models against.");
    if (labelled < kMinLabels) {
        return nothing(fmt::format("only {} labels were given; distinguishing models needs {}.",
                                   labelled, kMinLabels));
    }
    if (std::ranges::count(given_, 0) == 2) return nothing("all labels are the same.");
    std::vector<Candidate> candidates;
    for (std::size_t i = 0; i < models.size(); ++i) {
        const auto& use = of_model_[i].use;
        if (!is_judged(models[i], i) || !use.error.empty() || use.seconds <= 0) continue;
        candidates.push_back({i, models[i].name, *statistics::agreement(of_model_[i].given),
                              static_cast<double>(use.texts) / use.seconds});
    }
    if (candidates.size() < 2) {
        std::string why = "fewer than two models can be evaluated against the labels.";
        const auto neutral = given_[static_cast<std::size_t>(Label::neutral)];
        for (const ComparedModel& model : models) {
            if (model.has_neutral || model.maps_neutral || neutral == 0) continue;
            why += fmt::format(" {} has no neutral label, and {} neutral: set neutral_within.",
                               model.name,
                               neutral == 1 ? "1 text is" : fmt::format("{} texts are", neutral));
        }
        return nothing(why);
    }
    const auto best = *std::ranges::max_element(candidates, {}, &Candidate::accuracy);
    std::ranges::sort(candidates, std::greater(), &Candidate::speed);
    const auto than_best = [&](const Candidate& one) {
        const auto [gained, lost] = gained_and_lost(one.place, best.place);
        return statistics::accuracy_difference(gained, lost, labelled);
    };
    for (const auto& one : candidates) {
        if (one.place == best.place) break;
        const auto difference = than_best(one);
        if (difference.low < -kPoints) continue;
        return {{"model", one.name},
                {"text", fmt::format("{}: {} times as fast as {}, and as accurate to within {:.0f} "
                                     "points ({} points, 95 % interval: {} to {}).",
                                     one.name, times(one.speed / best.speed), best.name,
                                     100 * kPoints, points(one.accuracy - best.accuracy),
                                     points(difference.low), points(difference.high))}};
    }
    const auto& fastest = candidates.front();
    if (fastest.place == best.place) {
        return {{"model", best.name},
                {"text", fmt::format("{}: the most accurate ({:.1f} %) and the fastest.", best.name,
                                     100 * best.accuracy)}};
    }
    const auto difference = than_best(fastest);
    return {
        {"model", best.name},
        {"text",
         fmt::format("{}: the most accurate ({:.1f} %); {} is {} times as fast, and {:.1f} points "
                     "less accurate (95 % interval of the difference: {} to {}).",
                     best.name, 100 * best.accuracy, fastest.name,
                     times(fastest.speed / best.speed), 100 * (best.accuracy - fastest.accuracy),
                     points(difference.low), points(difference.high))}};
}

}  // namespace plimsoll::jobs::sentiment
