#include "server/kinds/profile/contract/request.hpp"

#include "engine/base/closest.hpp"
#include "engine/base/json.hpp"
#include "server/kinds/profile/contract/advertisement.hpp"

#include <algorithm>
#include <span>

namespace plimsoll::jobs::profile {

namespace {

FieldErrors one_error(std::string pointer, std::string rule, std::string message) {
    return {{std::move(pointer), std::move(rule), std::move(message)}};
}

bool measures_a_model(const json& args) {
    const auto mode = args.value("mode", "full");
    return mode == "sentiment" || mode == "full" || mode == "pair";
}

FieldErrors unknown_model(const std::string& name, std::span<const AdvertisedModel> known) {
    std::vector<std::string> names{std::string(kVader)};
    for (const auto& model : known) names.push_back(model.name);
    std::string list;
    for (const auto& one : names) list += (list.empty() ? "" : ", ") + one;
    return one_error("/sentiment_model", "unknown_model",
                     "No worker has a model \"" + name + "\"." + did_you_mean(name, names) +
                         " Available: " + list + ".");
}

const AdvertisedModel* find(std::span<const AdvertisedModel> models, std::string_view name) {
    const auto found = std::ranges::find(models, name, &AdvertisedModel::name);
    return found == models.end() ? nullptr : &*found;
}

FieldErrors measures_none(std::string pointer) {
    return one_error(std::move(pointer), "not_used",
                     "Only the modes \"sentiment\", \"full\" and \"pair\" measure a model.");
}

// The model in the arguments: its name, or the result of with_model().
std::optional<FieldErrors> read_model(const json& args, Request& request) {
    const json model = args.value("sentiment_model", json(kVader));
    if (model.is_object()) {
        request.sentiment_model = model.at("name");
        request.model_hash = model.at("hash");
        request.model_parameters = model.at("parameters");
        request.form = args.value("form", std::string(kExactForm));
        return std::nullopt;
    }
    request.sentiment_model = model;
    if (!request.sentiment && args.contains("sentiment_model"))
        return measures_none("/sentiment_model");
    if (request.sentiment && request.sentiment_model != kVader)
        return unknown_model(request.sentiment_model, {});
    if (!args.contains("form")) return std::nullopt;
    if (!request.sentiment) return measures_none("/form");
    return one_error("/form", "not_used", "VADER has no forms: omit it.");
}

std::optional<FieldErrors> read_batch_sizes(const json& args, Request& request) {
    if (!args.contains("batch_sizes")) return std::nullopt;
    if (!request.sentiment) return measures_none("/batch_sizes");
    if (request.pair)
        return one_error("/batch_sizes", "not_used",
                         "The mode \"pair\" measures one batch size: omit it.");
    request.batch_sizes = args["batch_sizes"].get<std::vector<std::int64_t>>();
    for (std::size_t i = 0; i < request.batch_sizes.size(); ++i) {
        if (request.batch_sizes[i] <= request.largest_batch) continue;
        return one_error("/batch_sizes/" + std::to_string(i), "max_batch",
                         "It must not exceed \"limits.max_batch\", " +
                             std::to_string(request.largest_batch) + ".");
    }
    std::ranges::sort(request.batch_sizes);
    const auto repeated = std::ranges::unique(request.batch_sizes);
    request.batch_sizes.erase(repeated.begin(), repeated.end());
    return std::nullopt;
}

}  // namespace

bool needs_model(const json& args) {
    return measures_a_model(args) && args.value("sentiment_model", "") != kVader;
}

tl::expected<json, FieldErrors> with_model(json args, const PlanningContext& planning_context) {
    const auto models = models_of(planning_context.advertisements, planning_context.team);
    const bool is_named = args.contains("sentiment_model");
    if (!is_named && args.value("device_class", "") == "host") {
        args["sentiment_model"] = kVader;
        return args;
    }
    const auto name = args.value("sentiment_model", std::string(kPreferred));
    const auto absent = models_of(planning_context.absent_advertisements, planning_context.team);
    const auto* found = find(models, name);
    if (found == nullptr && is_named) found = find(absent, name);
    if (found == nullptr) {
        if (is_named) return tl::unexpected(unknown_model(name, models));
        args["sentiment_model"] = kVader;
        return args;
    }
    if (found->forms.empty()) {
        return tl::unexpected(one_error(
            "/sentiment_model", "not_a_classifier",
            "The model \"" + name + "\" has no classification head and cannot score texts."));
    }
    const auto form = args.value("form", std::string(kExactForm));
    if (std::ranges::find(found->forms, form) == found->forms.end()) {
        return tl::unexpected(
            one_error("/form", "no_device", "No device with " + name + " supports " + form + "."));
    }
    args["sentiment_model"] = {
        {"name", name}, {"hash", found->hash}, {"parameters", found->parameters}};
    return args;
}

tl::expected<Request, FieldErrors> parse_request(const json& args) {
    Request request;
    request.mode = args.value("mode", "full");
    request.engine = request.mode == "engine" || request.mode == "full";
    request.pair = request.mode == "pair";
    request.sentiment = measures_a_model(args);
    request.device_class = args.value("device_class", "");
    request.device = args.value("device", "");
    const json limits = args.value("limits", json::object());
    request.largest_batch = limits.value("max_batch", request.largest_batch);
    if (limits.contains("latency_ms")) request.latency_ms = limits["latency_ms"].get<double>();
    if (limits.contains("memory_mb")) request.memory_mb = limits["memory_mb"].get<double>();
    if (auto wrong = read_model(args, request)) return tl::unexpected(std::move(*wrong));
    if (auto wrong = read_batch_sizes(args, request)) return tl::unexpected(std::move(*wrong));
    const bool needs_device = request.mode == "engine" || !request.model_hash.empty();
    if (needs_device && request.device_class == "host") {
        return tl::unexpected(
            one_error(request.device.empty() ? "/device_class" : "/device", "no_device",
                      "The host has no OpenCL device to measure: choose \"cpu\" or \"gpu\"."));
    }
    request.llm_endpoint = args.value("llm_endpoint", "");
    request.llm_model = args.value("llm_model", "");
    request.llm = request.mode == "llm" || !request.llm_endpoint.empty();
    return request;
}

tl::expected<json, FieldErrors> with_llm(const json& args, const LlmSettings& settings) {
    const auto refuse = [](const char* rule, const char* message) {
        return tl::unexpected(FieldErrors{{"/llm_endpoint", rule, message}});
    };
    const auto mode = args.value("mode", "full");
    const auto url = args.value("llm_endpoint", "");
    const bool always_asks = mode == "llm" || mode == "pair";
    if (!always_asks && mode != "full") {
        for (const char* member : {"llm_endpoint", "llm_model"}) {
            if (!args.contains(member)) continue;
            return tl::unexpected(
                one_error(std::string("/") + member, "other_mode",
                          "Only the modes \"llm\", \"full\" and \"pair\" call an endpoint."));
        }
        return args;
    }
    if (always_asks && !args.value("limits", json::object()).empty()) {
        return tl::unexpected(
            one_error("/limits", "not_used",
                      "The mode \"" + mode + "\" recommends no batch size: omit the limits."));
    }
    const bool names_none = url.empty() && !args.contains("llm_model");
    if (settings.endpoints.empty() && mode == "full" && names_none) return args;
    if (settings.endpoints.empty()) {
        return refuse("not_allowed",
                      "The operator has configured no language model endpoint (LLM_ENDPOINT_URL).");
    }
    if (!url.empty() && find_endpoint(settings, url) == nullptr) {
        return refuse(
            "not_allowed",
            "The endpoint must be one that the operator has configured (LLM_ENDPOINT_URL).");
    }
    json settled = args;
    if (url.empty()) settled["llm_endpoint"] = settings.endpoints.front().url;
    if (!args.contains("llm_model")) settled["llm_model"] = settings.model;
    return settled;
}

std::vector<std::string> parts_of(const Request& request) {
    if (request.pair) return {"pair/together"};
    std::vector<std::string> parts;
    if (request.engine) {
        for (const auto* part :
             {"peak", "products", "batches", "rows", "attention", "launches", "overlap"}) {
            parts.push_back(std::string("engine/") + part);
        }
    }
    if (request.sentiment)
        for (const auto* part : {"short", "medium", "long"})
            parts.push_back(std::string("sentiment/") + part);
    if (request.llm)
        for (const auto* tokens : {"50", "100", "200", "500"})
            parts.push_back(std::string("llm/") + tokens);
    return parts;
}

}  // namespace plimsoll::jobs::profile
