#pragma once

#include "server/jobs/settings.hpp"
#include "server/kinds/profile/contract/llm_endpoints.hpp"

#include <array>

namespace plimsoll::jobs::profile {

// For KindSetting::check.
Result<std::string> check_endpoints(std::string_view value);
Result<std::string> check_networks(std::string_view value);
Result<std::string> check_timeout(std::string_view value);

inline constexpr KindSetting kEndpoints{
    .key = "llm.endpoints",
    .variable = "LLM_ENDPOINT_URL",
    .unit = "http://host:port/api/generate, …",
    .help =
        "Language model endpoints that profiles may call, separated by commas: …/api/generate "
        "(Ollama) or …/chat/completions (OpenAI); empty: none",
    .default_value = "",
    .check = check_endpoints,
    .readers = kServer | kWorkers | kDoctor};
inline constexpr KindSetting kNetworks{
    .key = "llm.allowed_networks",
    .variable = "LLM_ALLOWED_NETWORKS",
    .unit = "10.1.2.0/24, …",
    .help = "Private networks where language model endpoints may be, separated by commas",
    .default_value = "127.0.0.0/8, ::1",
    .check = check_networks,
    .readers = kServer | kWorkers | kDoctor,
    .needs = "llm.endpoints"};
inline constexpr KindSetting kModel{.key = "llm.model",
                                    .variable = "LLM_MODEL_NAME",
                                    .unit = "name",
                                    .help = "Default language model of profiles",
                                    .default_value = "mistral",
                                    .check = any_text,
                                    .readers = kServer | kDoctor,
                                    .needs = "llm.endpoints"};
inline constexpr KindSetting kTimeout{.key = "llm.timeout",
                                      .variable = "LLM_TIMEOUT_SECS",
                                      .unit = "1..600, seconds",
                                      .help = "Timeout per response",
                                      .default_value = "15",
                                      .check = check_timeout,
                                      .readers = kServer | kWorkers,
                                      .needs = "llm.endpoints"};

inline constexpr std::array kSettings = {kEndpoints, kNetworks, kModel, kTimeout};

// The values were checked.
LlmSettings llm_settings(const KindSettings& settings);

}  // namespace plimsoll::jobs::profile
