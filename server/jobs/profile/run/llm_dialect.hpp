#pragma once

#include "server/jobs/profile/run/llm_call.hpp"

#include <string>
#include <string_view>

#include <nlohmann/json_fwd.hpp>

namespace plimsoll::jobs::profile {

// The body of a request, for a streamed answer that ends with its counts.
std::string llm_body(LlmDialect dialect, const LlmRequest& request);

// Reads a streamed answer as it comes: lines of JSON (Ollama), or events of JSON (OpenAI); an
// answer in one piece is the last line of such a stream.
class LlmReader {
  public:
    explicit LlmReader(LlmDialect dialect) : dialect_(dialect) {}

    // A piece of the body that came `seconds` after the request. Errc::corrupt: it is not JSON.
    Result<void> take(std::string_view piece, double seconds);
    // When the body has ended. Errc::corrupt: it did not say how many tokens it has.
    Result<LlmAnswer> finish(double seconds);

  private:
    Result<void> take_line(std::string_view line);
    void take_ollama(const nlohmann::json& part);
    void take_openai(const nlohmann::json& part);
    void saw_text(const nlohmann::json& text);

    LlmDialect dialect_;
    std::string rest_;  // of a line that is not complete
    double now_ = 0;
    LlmAnswer answer_;
    bool has_text_ = false;
    bool has_tokens_ = false;
    bool ended_ = false;  // the dialect's own sign of it
};

}  // namespace plimsoll::jobs::profile
