#pragma once

#include "server/jobs/kind.hpp"
#include "server/jobs/planning_context.hpp"
#include "server/kinds/profile/contract/llm_endpoints.hpp"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace plimsoll::jobs::profile {

inline constexpr std::string_view kName = "profile";
inline constexpr int kVersion = 2;

inline constexpr std::string_view kVader = "vader";
// Measured if none is named and a worker has it; else VADER.
inline constexpr std::string_view kPreferred = "finbert";

struct Request {
    bool engine = false;     // the device itself
    bool sentiment = false;  // a sentiment model on it
    bool llm = false;        // a language model behind an endpoint
    bool pair = false;       // both of them at once, and nothing else
    std::string mode;
    std::string sentiment_model;
    std::string model_hash;  // empty: vader
    std::string form;        // empty: vader
    std::uint64_t model_parameters = 0;
    std::vector<std::int64_t> batch_sizes;  // exactly these; empty: those that find the knee
    std::string llm_endpoint;  // a URL that the operator configured; empty without `llm`
    std::string llm_model;
    std::string device_class;  // empty: whichever fits the mode
    std::string device;        // "node/device": only this device, which has that class; empty: any
    std::int64_t largest_batch = 4096;
    std::optional<double> latency_ms;
    std::optional<double> memory_mb;  // 1e6 bytes
};

// The arguments with the workers' offers of the named model, or of the default one.
tl::expected<nlohmann::json, FieldErrors> with_model(nlohmann::json args,
                                                     const PlanningContext& planning_context);
// Whether a model must be looked up.
bool needs_model(const nlohmann::json& args);

// From arguments that passed the kind's schema, with_model() and, if an endpoint may be called,
// with_llm().
tl::expected<Request, FieldErrors> parse_request(const nlohmann::json& args);

// The arguments with the endpoint and the model to call: for mode "llm", and for "full" if the
// operator configured an endpoint. Other endpoints are refused.
tl::expected<nlohmann::json, FieldErrors> with_llm(const nlohmann::json& args,
                                                   const LlmSettings& settings);

// What is measured, one item each, in order: "engine/peak", "sentiment/short".
std::vector<std::string> parts_of(const Request& request);

}  // namespace plimsoll::jobs::profile
