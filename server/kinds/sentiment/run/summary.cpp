#include "engine/base/json.hpp"
#include "server/base/time.hpp"
#include "server/kinds/sentiment/run/aggregate.hpp"
#include "server/kinds/sentiment/run/comparison/score_by_all.hpp"

#include <cmath>

namespace plimsoll::jobs::sentiment {
namespace {

json extremes_shown(const std::vector<Extreme>& list) {
    json out = json::array();
    for (const Extreme& e : list) {
        out.push_back({{"index", e.index},
                       {"custom_id", e.custom_id},
                       {"compound", fraction(e.compound)},
                       {"text", e.text}});
    }
    return out;
}

json uncertain_shown(const std::vector<Extreme>& list) {
    json out = extremes_shown(list);
    for (std::size_t i = 0; i < list.size(); ++i) out[i]["certainty"] = fraction(list[i].certainty);
    return out;
}

// Of the population, from exact integer sums: no cancellation.
double standard_deviation(std::int64_t n, std::int64_t sum, std::int64_t sum_of_squares) {
    const auto spread =
        static_cast<__int128>(n) * sum_of_squares - static_cast<__int128>(sum) * sum;
    return std::sqrt(static_cast<double>(spread)) / static_cast<double>(n) /
           static_cast<double>(kCompoundScale);
}

// Six decimals are enough for means of scores with four.
double shown(double value) { return std::round(value * 1e6) / 1e6; }

// The model of all texts, or nothing where a policy chose several.
UsableModel model_used(const Args& args, const Counter<Choice>& choices) {
    // In a comparison, the first is the model in use.
    if (!args.models.empty()) {
        const auto& first = args.models.front();
        return {first.name, first.hash, first.form};
    }
    if (!args.policy) return args.model;
    const auto* only = only_model(choices);
    return only == nullptr ? UsableModel() : *only;
}

// The policy that chose the models, and the time that it assumed for texts without one.
json policy_json(const std::optional<ResolvedPolicy>& policy) {
    if (!policy) return nullptr;
    return {{"id", policy->id}, {"at", to_rfc3339(Timestamp{std::chrono::seconds(policy->at)})}};
}

}  // namespace

std::string Aggregate::summary(const Args& args) const {
    const auto model = model_used(args, choices_);
    const std::int64_t scored = labels_[0] + labels_[1] + labels_[2];
    json compound = {{"mean", nullptr},
                     {"standard_deviation", nullptr},
                     {"minimum", nullptr},
                     {"maximum", nullptr}};
    if (scored != 0) {
        const double mean = static_cast<double>(sum_) / static_cast<double>(scored) /
                            static_cast<double>(kCompoundScale);
        compound = {
            {"mean", shown(mean)},
            {"standard_deviation", shown(standard_deviation(scored, sum_, sum_of_squares_))},
            {"minimum", fraction(minimum_)},
            {"maximum", fraction(maximum_)}};
    }
    json histogram = json::array();
    for (std::size_t bin = 0; bin < kBins; ++bin) {
        const auto edge = [](std::size_t i) {
            return static_cast<double>(static_cast<std::int64_t>(2 * i) -
                                       static_cast<std::int64_t>(kBins)) /
                   static_cast<double>(kBins);
        };
        histogram.push_back({{"from", edge(bin)}, {"to", edge(bin + 1)}, {"count", bins_[bin]}});
    }
    json reading = nullptr;
    if (!model.hash.empty() || read_tokens(choices_)) {
        reading = {{"tokens", tokens_},
                   {"truncated", truncated_},
                   {"windowed", windowed_},
                   {"windows", windows_},
                   {"duplicates", duplicates_}};
    }
    json errors = json::array();
    for (const Failed& f : failed_) {
        errors.push_back({{"index", f.index},
                          {"line", f.line == 0 ? json(nullptr) : json(f.line)},
                          {"custom_id", f.custom_id},
                          {"error_code", f.code},
                          {"error", f.message}});
    }
    auto choices = choices_json(choices_);
    if (!args.asked.empty())
        choices.push_back({{"model", model.name},
                           {"model_hash", nullptr},
                           {"form", nullptr},
                           {"asked", args.asked},
                           {"rule", nullptr},
                           {"fallback", "no worker has the default model " + args.asked},
                           {"items", scored}});
    return json{
        {"model", text_or_null(model.name)},
        {"model_hash", text_or_null(model.hash)},
        {"form", text_or_null(model.form)},
        {"proofs", args.proofs},
        {"accuracies", args.accuracies},
        {"goal", args.goal},
        {"policy", policy_json(args.policy)},
        {"choices", std::move(choices)},
        {"devices", devices_json(devices_)},
        {"compared", compared_json(args, comparison_)},
        {"reading", reading},
        {"labels", {{"positive", labels_[0]}, {"neutral", labels_[1]}, {"negative", labels_[2]}}},
        {"compound", std::move(compound)},
        {"by_source", by_source_.summary()},
        {"by_group", by_group_.summary()},
        {"over_time", over_time_.summary()},
        {"histogram", std::move(histogram)},
        {"most_positive", extremes_shown(most_positive_)},
        {"most_negative", extremes_shown(most_negative_)},
        {"least_certain", uncertain_shown(least_certain_)},
        {"errors", std::move(errors)}}
        .dump();
}

}  // namespace plimsoll::jobs::sentiment
