#pragma once

#include "server/kinds/profile/run/llm_call.hpp"

#include <string>
#include <string_view>

#include <nlohmann/json_fwd.hpp>

namespace plimsoll::jobs::profile {

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
