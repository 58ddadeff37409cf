#include "engine/models/accuracy.hpp"

#include "engine/models/findings.hpp"

#include <nlohmann/json.hpp>

namespace plimsoll::models {
namespace {

using nlohmann::json;

constexpr std::string_view kAccuracyFile = "accuracy.json";
constexpr int kAccuracyVersion = 1;

}  // namespace

json to_json(const Accuracy& accuracy) {
    return {{"form", accuracy.form},
            {"texts_of", accuracy.texts_of},
            {"texts", accuracy.texts},
            {"right", accuracy.right},
            {"low", accuracy.low},
            {"high", accuracy.high},
            {"macro_f1", accuracy.macro_f1 ? json(*accuracy.macro_f1) : json(nullptr)},
            {"device", accuracy.device},
            {"measured_at", accuracy.measured_at}};
}

Accuracy accuracy_from_json(const json& stored) {
    const auto& f1 = stored.at("macro_f1");
    return {.form = stored.at("form"),
            .texts_of = stored.at("texts_of"),
            .texts = stored.at("texts"),
            .right = stored.at("right"),
            .low = stored.at("low"),
            .high = stored.at("high"),
            .macro_f1 = f1.is_null() ? std::nullopt : std::optional(f1.get<double>()),
            .device = stored.at("device"),
            .measured_at = stored.at("measured_at")};
}

std::vector<Accuracy> read_accuracies(const std::filesystem::path& folder, std::string_view hash) {
    try {
        std::vector<Accuracy> accuracies;
        for (const auto& one : read_findings(folder / kAccuracyFile, hash, kAccuracyVersion)) {
            accuracies.push_back(accuracy_from_json(one));
        }
        return accuracies;
    } catch (const json::exception&) {
        return {};
    }
}

Result<void> keep_accuracies(const std::filesystem::path& folder, std::string_view hash,
                             const std::vector<Accuracy>& accuracies) {
    auto stored = json::array();
    for (const auto& one : accuracies) stored.push_back(to_json(one));
    return write_findings(folder / kAccuracyFile, hash, kAccuracyVersion, stored);
}

}  // namespace plimsoll::models
