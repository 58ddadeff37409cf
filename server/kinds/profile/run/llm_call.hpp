#pragma once

#include "engine/base/watch.hpp"
#include "server/kinds/profile/contract/llm_endpoints.hpp"

#include <chrono>
#include <optional>
#include <string>
#include <string_view>

#include <nlohmann/json_fwd.hpp>

namespace plimsoll::jobs::profile {

struct LlmRequest {
    std::string model;
    std::string prompt;
    int max_tokens = 0;  // of the response
};

// One response; all counts are the endpoint's own.
struct LlmAnswer {
    double seconds = 0;        // from the request to the end of the response
    double first_seconds = 0;  // to the first piece of text
    std::int64_t tokens = 0;   // of the response
    std::optional<std::int64_t> prompt_tokens;
    std::optional<double> generating_seconds;  // Ollama's eval_duration
    std::optional<double> load_seconds;        // Ollama's load_duration
};

// Sends one request to an endpoint on the public internet or in `networks`, and streams the
// response. Redirects are not followed, certificates are verified, environment proxies are ignored.
// Errc::forbidden: the endpoint is elsewhere; Errc::unavailable: no connection, or a status other
// than 200; Errc::timeout; Errc::too_large: over 4 MiB; Errc::corrupt: not the dialect's JSON, or
// no token count in it; Errc::cancelled on a stop request, which is checked every 50 ms.
Result<LlmAnswer> call_llm(const LlmEndpoint& endpoint, const std::string& networks,
                           const LlmRequest& request, std::chrono::milliseconds timeout,
                           const Watch& watch);

// What the model takes on the endpoint's GPU, in bytes; nothing if that is not known: of an
// endpoint that is not Ollama's, or one that does not say.
std::optional<double> llm_memory(const LlmEndpoint& endpoint, const std::string& networks,
                                 const std::string& model, std::chrono::milliseconds timeout,
                                 const Watch& watch);

// The body of a request for a streamed response that ends with its counts.
std::string llm_body(LlmDialect dialect, const LlmRequest& request);

// Reads a streamed response as it arrives: lines of JSON (Ollama), or events of JSON (OpenAI); a
// response in one piece counts as the last line of such a stream.
class LlmReader {
  public:
    explicit LlmReader(LlmDialect dialect) : dialect_(dialect) {}

    // A piece of the body that arrived `seconds` after the request. Errc::corrupt: not JSON.
    Result<void> take(std::string_view piece, double seconds);
    // At the end of the body. Errc::corrupt: no token count.
    Result<LlmAnswer> finish(double seconds);

  private:
    Result<void> take_line(std::string_view line);
    void take_ollama(const nlohmann::json& part);
    void take_openai(const nlohmann::json& part);
    void saw_text(const nlohmann::json& text);

    LlmDialect dialect_;
    std::string rest_;  // an incomplete line
    double now_ = 0;
    LlmAnswer answer_;
    bool has_text_ = false;
    bool has_tokens_ = false;
    bool ended_ = false;  // the dialect's end marker
};

}  // namespace plimsoll::jobs::profile
