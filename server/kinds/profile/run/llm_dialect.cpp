#include "server/kinds/profile/run/llm_dialect.hpp"

#include "engine/base/outside_json.hpp"

#include <nlohmann/json.hpp>

namespace plimsoll::jobs::profile {
namespace {

using nlohmann::json;

constexpr int kSeed = 1;  // the same prompt gives the same answer where a model can do that

std::optional<std::int64_t> count(const json& part, const char* member) {
    const auto found = part.find(member);
    if (found == part.end() || !found->is_number_integer() || found->get<std::int64_t>() < 0) {
        return std::nullopt;
    }
    return found->get<std::int64_t>();
}

std::optional<double> nanoseconds(const json& part, const char* member) {
    const auto found = count(part, member);
    return found ? std::optional(static_cast<double>(*found) * 1e-9) : std::nullopt;
}

}  // namespace

std::string llm_body(LlmDialect dialect, const LlmRequest& request) {
    const json body =
        dialect == LlmDialect::ollama
            ? json{{"model", request.model},
                   {"prompt", request.prompt},
                   {"stream", true},
                   {"options",
                    {{"num_predict", request.most_tokens}, {"temperature", 0}, {"seed", kSeed}}}}
            : json{{"model", request.model},
                   {"messages", {{{"role", "user"}, {"content", request.prompt}}}},
                   {"stream", true},
                   {"stream_options", {{"include_usage", true}}},
                   {"max_tokens", request.most_tokens},
                   {"temperature", 0},
                   {"seed", kSeed}};
    return body.dump();
}

Result<void> LlmReader::take(std::string_view piece, double seconds) {
    now_ = seconds;
    rest_ += piece;
    std::size_t begin = 0;
    for (auto end = rest_.find('\n'); end != std::string::npos; end = rest_.find('\n', begin)) {
        const auto line = std::string_view(rest_).substr(begin, end - begin);
        if (auto taken = take_line(line); !taken) return taken;
        begin = end + 1;
    }
    rest_.erase(0, begin);
    return {};
}

Result<LlmAnswer> LlmReader::finish(double seconds) {
    now_ = seconds;
    if (auto taken = take_line(rest_); !taken) return fail(std::move(taken.error()));
    if (!ended_) return fail(Errc::corrupt, "The endpoint's response is incomplete.");
    if (!has_tokens_) {
        return fail(Errc::corrupt, "The endpoint did not report the number of tokens.");
    }
    answer_.seconds = seconds;
    if (!has_text_) answer_.first_seconds = seconds;
    return answer_;
}

Result<void> LlmReader::take_line(std::string_view line) {
    while (!line.empty() && (line.back() == '\r' || line.back() == ' ')) line.remove_suffix(1);
    constexpr std::string_view kData = "data:";
    const bool is_event = dialect_ == LlmDialect::openai && line.starts_with(kData);
    if (is_event) line.remove_prefix(kData.size());
    while (line.starts_with(' ')) line.remove_prefix(1);
    if (line.empty() || line.starts_with(':')) return {};
    if (is_event && line == "[DONE]") {
        ended_ = true;
        return {};
    }
    const json part = parse_outside_json(line);
    if (!part.is_object()) return fail(Errc::corrupt, "The endpoint's response is not JSON.");
    if (const auto error = part.find("error"); error != part.end() && !error->is_null()) {
        return fail(Errc::unavailable, "The endpoint returned an error.");
    }
    dialect_ == LlmDialect::ollama ? take_ollama(part) : take_openai(part);
    return {};
}

void LlmReader::take_ollama(const json& part) {
    if (part.contains("response")) saw_text(part["response"]);
    const auto done = part.find("done");
    ended_ = ended_ || (done != part.end() && *done == true);
    if (const auto tokens = count(part, "eval_count")) {
        answer_.tokens = *tokens;
        has_tokens_ = true;
        answer_.prompt_tokens = count(part, "prompt_eval_count");
        answer_.generating_seconds = nanoseconds(part, "eval_duration");
        answer_.load_seconds = nanoseconds(part, "load_duration");
    }
}

void LlmReader::take_openai(const json& part) {
    const auto choices = part.find("choices");
    if (choices != part.end() && choices->is_array()) {
        for (const auto& choice : *choices) {
            if (!choice.is_object()) continue;
            for (const auto* member : {"delta", "message"}) {
                const auto message = choice.find(member);
                if (message == choice.end() || !message->is_object()) continue;
                if (message->contains("content")) saw_text((*message)["content"]);
                ended_ = ended_ || std::string_view(member) == "message";
            }
        }
    }
    const auto usage = part.find("usage");
    if (usage == part.end() || !usage->is_object()) return;
    if (const auto tokens = count(*usage, "completion_tokens")) {
        answer_.tokens = *tokens;
        has_tokens_ = true;
        answer_.prompt_tokens = count(*usage, "prompt_tokens");
    }
}

void LlmReader::saw_text(const json& text) {
    if (has_text_ || !text.is_string() || text.get_ref<const std::string&>().empty()) return;
    has_text_ = true;
    answer_.first_seconds = now_;
}

}  // namespace plimsoll::jobs::profile
