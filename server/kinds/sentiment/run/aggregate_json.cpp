#include "server/base/time.hpp"
#include "server/kinds/sentiment/contract/models.hpp"
#include "server/kinds/sentiment/contract/texts.hpp"
#include "server/kinds/sentiment/run/aggregate.hpp"
#include "server/kinds/sentiment/run/text_or_null.hpp"

#include <cmath>

#include <nlohmann/json.hpp>

namespace plimsoll::jobs::sentiment {
namespace {

using nlohmann::json;

json id_json(const std::optional<std::string>& id) {
    return id ? json(*id) : json(nullptr);
}

std::optional<std::string> id_from(const json& value) {
    return value.is_null() ? std::nullopt : std::optional(value.get<std::string>());
}

json extremes_stored(const std::vector<Extreme>& list) {
    json out = json::array();
    for (const Extreme& e : list)
        out.push_back({e.index, id_json(e.custom_id), e.compound, e.certainty, e.text});
    return out;
}

std::vector<Extreme> extremes_from(const json& stored) {
    std::vector<Extreme> list;
    for (const json& e : stored)
        list.push_back({e.at(0), id_from(e.at(1)), e.at(2), e.at(3), e.at(4)});
    return list;
}

json extremes_shown(const std::vector<Extreme>& list) {
    json out = json::array();
    for (const Extreme& e : list) {
        out.push_back({{"index", e.index},
                       {"custom_id", id_json(e.custom_id)},
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
double shown(double value) {
    return std::round(value * 1e6) / 1e6;
}

// The model of all texts, or nothing where a policy chose several.
struct Said {
    std::string model;
    std::string hash;  // of VADER: none
    std::string form;  // of VADER: none
};
Said said_by(const json& args, const Choices& choices) {
    // In a comparison, the first is the model in use.
    if (args.contains("models")) {
        const json& first = args["models"][0];
        return {first.at("name"), first.at("hash"), first.at("form")};
    }
    if (!args.contains("policy"))
        return {args.value("model", std::string(kVader)), args.value("model_hash", ""),
                args.value("form", "")};
    const auto* only = choices.only_model();
    return only != nullptr ? Said{only->model, only->model_hash, only->form} : Said{};
}

// The policy that chose the models, and the time that it assumed for texts without one.
json policy_json(const json& args) {
    const auto policy = args.find("policy");
    if (policy == args.end()) return nullptr;
    const Timestamp at{std::chrono::seconds(policy->at("at").get<std::int64_t>())};
    return {{"id", policy->at("id")}, {"at", to_rfc3339(at)}};
}

json compared_json(const json& args, const std::optional<Comparison>& comparison) {
    if (!args.contains("models")) return nullptr;
    auto models = compared_models_from_json(args["models"]);
    for (auto& model : models) model.maps_neutral = args.contains("neutral_within");
    return comparison.value_or(Comparison(models.size())).summary(models);
}

}  // namespace

std::string Aggregate::to_json() const {
    json failed = json::array();
    for (const Failed& f : failed_) {
        failed.push_back({f.index, f.line, id_json(f.custom_id), f.code, f.message});
    }
    return json{{"labels", labels_},
                {"bins", bins_},
                {"sum", sum_},
                {"sum_of_squares", sum_of_squares_},
                {"minimum", minimum_},
                {"maximum", maximum_},
                {"most_positive", extremes_stored(most_positive_)},
                {"most_negative", extremes_stored(most_negative_)},
                {"least_certain", extremes_stored(least_certain_)},
                {"tokens", tokens_},
                {"truncated", truncated_},
                {"windowed", windowed_},
                {"windows", windows_},
                {"duplicates", duplicates_},
                {"failed", std::move(failed)},
                {"choices", choices_.to_json()},
                {"devices", devices_.to_json()},
                {"by_source", by_source_.to_json()},
                {"by_group", by_group_.to_json()},
                {"over_time", over_time_.to_json()},
                {"comparison", comparison_ ? comparison_->to_json() : json(nullptr)}}
        .dump();
}

Result<Aggregate> Aggregate::from_json(std::string_view text) try {
    const json stored = json::parse(text);
    Aggregate aggregate;
    stored.at("labels").get_to(aggregate.labels_);
    stored.at("bins").get_to(aggregate.bins_);
    stored.at("sum").get_to(aggregate.sum_);
    stored.at("sum_of_squares").get_to(aggregate.sum_of_squares_);
    stored.at("minimum").get_to(aggregate.minimum_);
    stored.at("maximum").get_to(aggregate.maximum_);
    aggregate.most_positive_ = extremes_from(stored.at("most_positive"));
    aggregate.most_negative_ = extremes_from(stored.at("most_negative"));
    aggregate.least_certain_ = extremes_from(stored.at("least_certain"));
    stored.at("tokens").get_to(aggregate.tokens_);
    stored.at("truncated").get_to(aggregate.truncated_);
    stored.at("windowed").get_to(aggregate.windowed_);
    stored.at("windows").get_to(aggregate.windows_);
    stored.at("duplicates").get_to(aggregate.duplicates_);
    for (const json& f : stored.at("failed")) {
        aggregate.failed_.push_back({f.at(0), f.at(1), id_from(f.at(2)), f.at(3), f.at(4)});
    }
    aggregate.choices_ = Choices::from_json(stored.at("choices"));
    aggregate.devices_ = DevicesUsed::from_json(stored.at("devices"));
    aggregate.by_source_ = Breakdown::from_json(stored.at("by_source"));
    aggregate.by_group_ = Breakdown::from_json(stored.at("by_group"));
    aggregate.over_time_ = Series::from_json(stored.at("over_time"));
    if (const json& comparison = stored.at("comparison"); !comparison.is_null()) {
        aggregate.comparison_ = Comparison::from_json(comparison);
    }
    return aggregate;
} catch (const json::exception&) {
    return fail(Errc::corrupt, "A stored partial aggregate is corrupt.");
}

std::string Aggregate::summary(const json& args) const {
    const auto said = said_by(args, choices_);
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
    if (!said.hash.empty() || choices_.reads_tokens()) {
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
                          {"custom_id", id_json(f.custom_id)},
                          {"error_code", f.code},
                          {"error", f.message}});
    }
    return json{
        {"model", text_or_null(said.model)},
        {"model_hash", text_or_null(said.hash)},
        {"form", text_or_null(said.form)},
        {"proofs", args.value("proofs", json::array())},
        {"accuracies", args.value("accuracies", json::array())},
        {"goal", args.value("goal", json(nullptr))},
        {"policy", policy_json(args)},
        {"choices", choices_.summary()},
        {"devices", devices_.summary()},
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
