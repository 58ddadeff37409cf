#include "server/kinds/profile/contract/advertisement.hpp"

#include "engine/base/json.hpp"
#include "server/jobs/records/model_requirement.hpp"
#include "server/kinds/profile/contract/request.hpp"

#include <algorithm>
#include <cstdio>
#include <tuple>

namespace plimsoll::jobs::profile {
namespace {

AdvertisedModel model_from(const json& stored) {
    return {.name = stored.at("name"),
            .hash = stored.at("hash"),
            .parameters = stored.at("parameters"),
            .forms = stored.at("forms"),
            .audience = stored.value("audience", "")};
}

// "5", "0.25"
std::string number(double value) {
    char text[32];
    std::snprintf(text, sizeof text, "%.9g", value);
    return text;
}

}  // namespace

std::string advertisement_of(const std::vector<AdvertisedModel>& models) {
    auto all = json::array();
    for (const auto& model : models) {
        all.push_back({{"name", model.name},
                       {"hash", model.hash},
                       {"parameters", model.parameters},
                       {"forms", model.forms},
                       {"audience", model.audience}});
    }
    return json{{"models", std::move(all)}}.dump();
}

std::vector<AdvertisedModel> models_of(std::span<const std::string> advertisements, TeamId team) {
    std::vector<AdvertisedModel> models;
    for (const auto& text : advertisements) {
        const auto advertisement = json::parse(text, nullptr, false);
        if (!advertisement.is_object() || !advertisement.contains(kName)) continue;
        for (const json& one : advertisement[kName].value("models", json::array())) {
            auto model = model_from(one);
            if (is_for(model.audience, team)) models.push_back(std::move(model));
        }
    }
    const auto key = [](const AdvertisedModel& model) { return std::tie(model.name, model.hash); };
    std::ranges::sort(models, {}, key);
    std::vector<AdvertisedModel> each;
    for (auto& model : models) {
        if (each.empty() || key(each.back()) != key(model)) {
            each.push_back(std::move(model));
            continue;
        }
        auto& forms = each.back().forms;
        for (auto& form : model.forms)
            if (std::ranges::find(forms, form) == forms.end()) forms.push_back(std::move(form));
    }
    return each;
}

std::string capability_of(std::string_view name, std::string_view hash, std::string_view form) {
    return "measure " + std::string(name) + " " + std::string(shown_hash(hash)) + " " +
           std::string(form);
}

constinit const KindExtras kExtras{.comparison_key = comparison_key};

std::string comparison_key(const nlohmann::json& args, const nlohmann::json& summary) {
    const auto request = parse_request(args).value();
    const auto& device = summary.at("device");
    std::string text = request.mode;
    if (request.sentiment) {
        text += " of " + request.sentiment_model;
        if (!request.form.empty()) text += " in " + request.form;
    }
    if (request.llm) {
        text += (request.sentiment ? " and " : " of ") + request.llm_model + " at " +
                request.llm_endpoint;
    }
    text += " on " + device.value("name", "") + " (" + device.value("type", "") + ", " +
            std::to_string(device.value("compute_units", 0)) + " units), batches up to " +
            std::to_string(request.largest_batch);
    if (!request.batch_sizes.empty()) {
        text += ", namely";
        for (const auto size : request.batch_sizes) text += " " + std::to_string(size);
    }
    if (request.latency_ms) text += ", within " + number(*request.latency_ms) + " ms";
    if (request.memory_mb) text += ", within " + number(*request.memory_mb) + " MB";
    return text;
}

}  // namespace plimsoll::jobs::profile
