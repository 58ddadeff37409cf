#include "server/jobs/profile/contract/request.hpp"

#include <nlohmann/json.hpp>

namespace plimsoll::jobs::profile {

using nlohmann::json;

tl::expected<Request, FieldErrors> parse_request(const json& args) {
    Request request;
    request.mode = args.value("mode", "full");
    request.engine = request.mode != "sentiment";
    request.sentiment = request.mode != "engine";
    request.sentiment_model = args.value("sentiment_model", std::string(kVader));
    request.device_class = args.value("device_class", "");
    const json limits = args.value("limits", json::object());
    request.largest_batch = limits.value("largest_batch", request.largest_batch);
    if (limits.contains("latency_ms")) request.latency_ms = limits["latency_ms"].get<double>();
    if (limits.contains("memory_mb")) request.memory_mb = limits["memory_mb"].get<double>();
    if (request.sentiment && request.sentiment_model != kVader) {
        return tl::unexpected(FieldErrors{{"/sentiment_model", "unknown_model",
                                           "The model must be \"vader\": no other is installed."}});
    }
    if (request.mode == "engine" && request.device_class == "host") {
        return tl::unexpected(
            FieldErrors{{"/device_class", "no_device",
                         "The host has no OpenCL device to measure: choose \"cpu\" or \"gpu\"."}});
    }
    return request;
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
    return parts;
}

}  // namespace plimsoll::jobs::profile
