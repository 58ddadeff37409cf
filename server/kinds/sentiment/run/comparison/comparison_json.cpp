#include "engine/base/json.hpp"
#include "server/kinds/sentiment/run/comparison/comparison.hpp"

#include <algorithm>

namespace plimsoll::jobs::sentiment {

namespace statistics = ::plimsoll::sentiment;

namespace {

constexpr std::array kLabels = {Label::positive, Label::neutral, Label::negative};

json number(const std::optional<double>& value) { return value ? json(*value) : json(nullptr); }

json by_label(const std::array<std::int64_t, 3>& texts) {
    json all = json::object();
    for (const auto label : kLabels)
        all[std::string(to_string(label))] = texts[static_cast<std::size_t>(label)];
    return all;
}

double percent(std::int64_t part, std::int64_t all) {
    return all == 0 ? 0 : 100 * static_cast<double>(part) / static_cast<double>(all);
}

}  // namespace

bool Comparison::is_judged(const ComparedModel& model, std::size_t place) const {
    const auto neutral = given_[static_cast<std::size_t>(Label::neutral)];
    return statistics::texts_in(of_model_[place].given) != 0 &&
           (model.has_neutral || model.maps_neutral || neutral == 0);
}

json Comparison::accuracy_json(const ComparedModel& model, std::size_t place) const {
    if (!is_judged(model, place)) return nullptr;
    const OfModel& of = of_model_[place];
    const auto texts = statistics::texts_in(of.given);
    const auto right = statistics::diagonal_of(of.given);
    const auto interval = *statistics::share_interval(right, texts);
    json classes = json::object();
    const auto scores = statistics::class_scores(of.given);
    for (const auto label : kLabels) {
        const auto& one = scores[static_cast<std::size_t>(label)];
        classes[std::string(to_string(label))] = {{"given", one.given},
                                                  {"precision", one.precision},
                                                  {"recall", one.recall},
                                                  {"f1", one.f1}};
    }
    json calibration = nullptr;
    if (const auto error = statistics::calibration_error(of.bins)) {
        auto bins = json::array();
        for (std::size_t i = 0; i < kBins; ++i) {
            const auto& bin = of.bins[i];
            const auto mean = [&](std::int64_t sum, std::int64_t scale) {
                return bin.texts == 0 ? json(nullptr)
                                      : json(static_cast<double>(sum) /
                                             static_cast<double>(bin.texts * scale));
            };
            bins.push_back({{"from", static_cast<double>(i) / kBins},
                            {"to", static_cast<double>(i + 1) / kBins},
                            {"texts", bin.texts},
                            {"confidence", mean(bin.confidence, statistics::kConfidenceScale)},
                            {"accuracy", mean(bin.right, 1)}});
        }
        calibration = {{"expected_error", *error}, {"bins", std::move(bins)}};
    }
    return {{"texts", texts},
            {"accuracy", static_cast<double>(right) / static_cast<double>(texts)},
            {"accuracy_low", interval.low},
            {"accuracy_high", interval.high},
            {"macro_f1", number(statistics::macro_f1(of.given))},
            {"kappa", number(statistics::kappa(of.given))},
            {"classes", std::move(classes)},
            {"table", of.given},
            {"calibration", std::move(calibration)}};
}

// Texts that the model calls positive, or negative, where the model in use does not.
json Comparison::against_first_json(std::size_t place) const {
    if (place == 0) return nullptr;
    const auto& table = of_pair_[pair_of(0, place)].labels;
    const auto texts = statistics::texts_in(table);
    const auto more = [&](Label label) {
        const auto column = static_cast<std::size_t>(label);
        std::int64_t sum = 0;
        for (std::size_t row = 0; row < table.size(); ++row)
            if (row != column) sum += table[row][column];
        return sum;
    };
    return {{"false_positives_percent", percent(more(Label::positive), texts)},
            {"false_negatives_percent", percent(more(Label::negative), texts)}};
}

json Comparison::samples_json(std::size_t place) const {
    auto samples = json::array();
    for (const auto& text : samples_) {
        const auto& score = text.scores[place];
        if (!score) continue;
        samples.push_back({{"text", text.text},
                           {"label", to_string(score->first)},
                           {"compound", fraction(score->second)}});
    }
    return samples;
}

// The guide's keys, and further results.
json Comparison::model_json(const ComparedModel& model, std::size_t place) const {
    const OfModel& of = of_model_[place];
    const auto& use = of.use;
    const bool ran = use.texts != 0 && use.seconds > 0;
    const auto texts = static_cast<double>(use.texts);
    return {{"model_name", model.name},
            {"model_hash", text_or_null(model.hash)},
            {"success", use.error.empty()},
            {"error", text_or_null(use.error)},
            {"load_time_ms", use.load_seconds * 1e3},
            {"avg_inference_time_ms", ran ? json(use.seconds * 1e3 / texts) : json(nullptr)},
            {"items_per_second", ran ? json(texts / use.seconds) : json(nullptr)},
            {"sample_results", samples_json(place)},
            {"memory_bytes", use.bytes},
            {"labels", by_label(of.labels)},
            {"has_neutral", model.has_neutral},
            {"form", text_or_null(model.form)},
            {"accuracy", accuracy_json(model, place)},
            {"against_first", against_first_json(place)}};
}

json Comparison::pair_json(const std::vector<ComparedModel>& models, std::size_t first,
                           std::size_t second) const {
    const OfPair& of = of_pair_[pair_of(first, second)];
    return {{"first", models[first].name},
            {"second", models[second].name},
            {"texts", statistics::texts_in(of.labels)},
            {"agreement", number(statistics::agreement(of.labels))},
            {"kappa", number(statistics::kappa(of.labels))},
            {"correlation", number(statistics::correlation(of.compounds))},
            {"table", of.labels}};
}

json Comparison::text_json(const std::vector<ComparedModel>& models,
                           const ComparedText& text) const {
    json scores = json::object();
    for (std::size_t i = 0; i < models.size(); ++i) {
        const auto& score = text.scores[i];
        if (!score) continue;
        scores[models[i].name] = {{"label", to_string(score->first)},
                                  {"compound", fraction(score->second)}};
    }
    return {{"index", text.index},
            {"custom_id", text.custom_id ? json(*text.custom_id) : json(nullptr)},
            {"text", text.text},
            {"given_label", text_or_null(text.given)},
            {"models", std::move(scores)}};
}

json Comparison::given_json() const {
    const auto labelled = given_[0] + given_[1] + given_[2];
    if (labelled + unknown_texts_ == 0) return nullptr;
    auto unknown = json::array();
    for (const auto& [label, texts] : unknown_)
        unknown.push_back({{"label", label}, {"texts", texts}});
    return {{"labelled", labelled},
            {"unlabelled", unlabelled_},
            {"labels", by_label(given_)},
            {"unknown", unknown_texts_},
            {"unknown_labels", std::move(unknown)}};
}

json Comparison::summary(const std::vector<ComparedModel>& models) const {
    json comparison = json::object();
    json fastest = nullptr;
    json slowest = nullptr;
    double max = 0;
    double min = 0;
    for (std::size_t i = 0; i < models.size(); ++i) {
        comparison[models[i].name] = model_json(models[i], i);
        const json& speed = comparison[models[i].name]["items_per_second"];
        if (speed.is_null()) continue;
        if (fastest.is_null() || speed > max) {
            fastest = models[i].name;
            max = speed;
        }
        if (slowest.is_null() || speed < min) {
            slowest = models[i].name;
            min = speed;
        }
    }
    auto names = json::array();
    for (const auto& model : models) names.push_back(model.name);
    auto pairs = json::array();
    for (std::size_t second = 1; second < models.size(); ++second)
        for (std::size_t first = 0; first < second; ++first)
            pairs.push_back(pair_json(models, first, second));
    auto disagreements = json::array();
    for (const auto& text : disagreements_) disagreements.push_back(text_json(models, text));
    return {{"models", std::move(names)},
            {"comparison", std::move(comparison)},
            {"fastest", std::move(fastest)},
            {"slowest", std::move(slowest)},
            {"pairs", std::move(pairs)},
            {"given", given_json()},
            {"disagreeing", disagreeing_},
            {"disagreements", std::move(disagreements)},
            {"recommendation", recommendation(models)}};
}

}  // namespace plimsoll::jobs::sentiment
