#include "server/jobs/profile/contract/request.hpp"

#include <nlohmann/json.hpp>

namespace plimsoll::jobs::profile {

using nlohmann::json;

tl::expected<Request, FieldErrors> parse_request(const json& args) {
    Request request;
    request.mode = args.value("mode", "full");
    request.engine = request.mode == "engine" || request.mode == "full";
    request.sentiment = request.mode == "sentiment" || request.mode == "full";
    request.sentiment_model = args.value("sentiment_model", std::string(kVader));
    request.device_class = args.value("device_class", "");
    request.device = args.value("device", "");
    const json limits = args.value("limits", json::object());
    request.largest_batch = limits.value("max_batch", request.largest_batch);
    if (limits.contains("latency_ms")) request.latency_ms = limits["latency_ms"].get<double>();
    if (limits.contains("memory_mb")) request.memory_mb = limits["memory_mb"].get<double>();
    if (request.sentiment && request.sentiment_model != kVader) {
        return tl::unexpected(
            FieldErrors{{"/sentiment_model", "unknown_model",
                         "The model must be \"vader\": no other one is installed."}});
    }
    if (request.mode == "engine" && request.device_class == "host") {
        return tl::unexpected(
            FieldErrors{{request.device.empty() ? "/device_class" : "/device", "no_device",
                         "The host has no OpenCL device to measure: choose \"cpu\" or \"gpu\"."}});
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
    if (mode != "llm" && mode != "full") {
        if (url.empty()) return args;
        return refuse("other_mode", "Only the modes \"llm\" and \"full\" call an endpoint.");
    }
    if (settings.endpoints.empty() && mode == "full" && url.empty()) return args;
    if (settings.endpoints.empty()) {
        return refuse(
            "not_allowed",
            "No administrator has configured a language model endpoint (LLM_ENDPOINT_URL).");
    }
    if (!url.empty() && find_endpoint(settings, url) == nullptr) {
        return refuse(
            "not_allowed",
            "The endpoint must be one that an administrator has configured (LLM_ENDPOINT_URL).");
    }
    json settled = args;
    if (url.empty()) settled["llm_endpoint"] = settings.endpoints.front().url;
    if (!args.contains("llm_model")) settled["llm_model"] = settings.model;
    return settled;
}

std::vector<std::string> parts_of(const Request& request) {
    std::vector<std::string> parts;
    if (request.engine) {
        for (const auto* part :
             {"peak", "products", "batches", "rows", "attention", "launches", "overlap"}) {
            parts.push_back(std::string("engine/") + part);
        }
    }
    if (request.sentiment) {
        for (const auto* part : {"short", "medium", "long"}) {
            parts.push_back(std::string("sentiment/") + part);
        }
    }
    if (request.llm) {
        for (const auto* tokens : {"50", "100", "200", "500"}) {
            parts.push_back(std::string("llm/") + tokens);
        }
    }
    return parts;
}

}  // namespace plimsoll::jobs::profile
