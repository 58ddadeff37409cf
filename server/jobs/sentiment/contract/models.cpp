#include "server/jobs/sentiment/contract/models.hpp"

#include "server/jobs/sentiment/contract/texts.hpp"

#include <algorithm>
#include <tuple>

namespace plimsoll::jobs::sentiment {
namespace {

using nlohmann::json;

constexpr std::size_t kShownHash = 12;

// A processor of two cores with AVX-512; see tests/bench/RESULTS.md.
constexpr double kOperationsPerSecond = 2e11;
// English: a token has about four and a half bytes, and a text two tokens more.
constexpr double kBytesPerToken = 4.5;
constexpr double kTokensPerText = 2;
constexpr double kTokensPerBatch = 3072;

// Parameters that every token is multiplied with: all but the tables.
double encoder_parameters(const OfferedModel& model) {
    const double hidden = model.hidden;
    return model.layers * (4 * hidden * hidden + 2 * hidden * model.intermediate);
}

}  // namespace

json to_json(const OfferedModel& model) {
    return {{"name", model.name},
            {"hash", model.hash},
            {"licence", model.licence},
            {"source", model.source},
            {"family", model.family},
            {"added_at", model.added_at},
            {"labels", model.labels},
            {"parameters", model.parameters},
            {"longest_text", model.longest_text},
            {"layers", model.layers},
            {"hidden", model.hidden},
            {"intermediate", model.intermediate}};
}

std::vector<OfferedModel> models_in(const json& offer) {
    std::vector<OfferedModel> models;
    const auto list = offer.is_object() ? offer.find("models") : offer.end();
    if (list == offer.end()) return models;
    for (const json& one : *list) {
        models.push_back({.name = one.at("name"),
                          .hash = one.at("hash"),
                          .licence = one.at("licence"),
                          .source = one.at("source"),
                          .family = one.at("family"),
                          .added_at = one.at("added_at"),
                          .labels = one.at("labels"),
                          .parameters = one.at("parameters"),
                          .longest_text = one.at("longest_text"),
                          .layers = one.at("layers"),
                          .hidden = one.at("hidden"),
                          .intermediate = one.at("intermediate")});
    }
    return models;
}

std::vector<OfferedModel> models_of(std::span<const std::string> offers) {
    std::vector<OfferedModel> models;
    for (const auto& text : offers) {
        const auto offer = json::parse(text, nullptr, false);
        if (!offer.is_object() || !offer.contains(kName)) continue;
        try {
            for (auto& model : models_in(offer[kName])) models.push_back(std::move(model));
        } catch (const json::exception&) {
            continue;  // a worker of another version
        }
    }
    const auto key = [](const OfferedModel& model) { return std::tie(model.name, model.hash); };
    std::ranges::sort(models, {}, key);
    const auto [first, last] = std::ranges::unique(models, {}, key);
    models.erase(first, last);
    return models;
}

std::string resident_name(std::string_view name, std::string_view hash) {
    return std::string(name) + " " + std::string(hash.substr(0, kShownHash));
}

std::string capability_of(std::string_view name, std::string_view hash) {
    return "model " + resident_name(name, hash);
}

TextKind texts_of(const OfferedModel& model) {
    const double token = 2 * encoder_parameters(model) / kOperationsPerSecond;
    auto texts = kTexts;
    texts.seconds_per_item += kTokensPerText * token;
    texts.seconds_per_byte += token / kBytesPerToken;
    return texts;
}

int memory_mib(const OfferedModel& model) {
    constexpr double kMebibyte = 1 << 20;
    const double batch = kTokensPerBatch * (6.0 * model.hidden + model.intermediate);
    return static_cast<int>(4 * (static_cast<double>(model.parameters) + batch) / kMebibyte) + 1;
}

}  // namespace plimsoll::jobs::sentiment
