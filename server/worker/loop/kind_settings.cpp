#include "server/worker/loop/kind_settings.hpp"

#include "server/worker/base/environment.hpp"

#include <utility>

namespace plimsoll::worker {

Result<jobs::KindSettings> kind_settings(std::filesystem::path cache) {
    constexpr const char* kEndpoints = "LLM_ENDPOINT_URL";
    auto endpoints = jobs::parse_llm_endpoints(text_of(kEndpoints).value_or(""));
    if (!endpoints) return fail(Errc::invalid_input, endpoints.error().message, kEndpoints);
    const auto timeout = number_of("LLM_TIMEOUT_SECS", 1, jobs::kLongestLlmTimeout);
    if (!timeout) return fail(timeout.error());
    return jobs::KindSettings{
        .llm = {std::move(*endpoints), text_of("LLM_MODEL_NAME").value_or(jobs::kUsualLlmModel),
                timeout->value_or(jobs::kUsualLlmTimeout)},
        .cache = std::move(cache)};
}

}  // namespace plimsoll::worker
