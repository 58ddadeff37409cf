#pragma once

#include "engine/base/result.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace plimsoll::jobs::profile {

// How an endpoint of a language model is spoken to.
enum class LlmDialect {
    ollama,  // …/api/generate
    openai,  // …/chat/completions
};

// An endpoint that an administrator named: nothing else is ever called.
struct LlmEndpoint {
    std::string url;  // as it was named
    bool tls = false;
    std::string host;
    std::string port;
    std::string target;  // path and query
    LlmDialect dialect = LlmDialect::ollama;
};

struct LlmSettings {
    std::vector<LlmEndpoint> endpoints;
    std::string model;        // when a job names none
    int timeout_seconds = 0;  // of one answer
};

// URLs with commas between: http or https, without user and fragment, ending in /api/generate or
// /chat/completions. Errc::invalid_input says which one breaks which rule.
Result<std::vector<LlmEndpoint>> parse_llm_endpoints(std::string_view text);

const LlmEndpoint* find_endpoint(const LlmSettings& settings, std::string_view url);

}  // namespace plimsoll::jobs::profile
