#include "server/kinds/profile/contract/offer.hpp"

#include "server/kinds/profile/contract/request.hpp"

#include <cstdio>

#include <nlohmann/json.hpp>

namespace plimsoll::jobs::profile {
namespace {

// "5", "0.25"
std::string number(double value) {
    char text[32];
    std::snprintf(text, sizeof text, "%.9g", value);
    return text;
}

}  // namespace

constinit const Offer kOffer{.comparison_key = comparison_key};

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
