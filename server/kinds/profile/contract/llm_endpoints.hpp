#pragma once

#include "engine/base/result.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace plimsoll::jobs::profile {

// The protocol of a language model endpoint.
enum class LlmDialect {
    ollama,  // …/api/generate
    openai,  // …/chat/completions
};

// An endpoint that the operator configured; no other one is ever called.
struct LlmEndpoint {
    std::string url;  // as configured
    std::string host;
    std::string port;
    LlmDialect dialect = LlmDialect::ollama;
};

struct LlmSettings {
    std::vector<LlmEndpoint> endpoints;
    std::string networks;     // where endpoints may be besides the public internet
    std::string model;        // if a job names none
    int timeout_seconds = 0;  // per response
};

// URLs separated by commas: http or https, without user and fragment, ending in /api/generate or
// /chat/completions. Errc::invalid_input names the URL and the rule it breaks.
Result<std::vector<LlmEndpoint>> parse_llm_endpoints(std::string_view text);

const LlmEndpoint* find_endpoint(const LlmSettings& settings, std::string_view url);

}  // namespace plimsoll::jobs::profile
