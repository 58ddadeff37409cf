#include "engine/profiling/timing.hpp"
#include "server/base/time.hpp"
#include "server/kinds/profile/run/figures.hpp"
#include "server/kinds/profile/run/llm_call.hpp"

#include <charconv>
#include <utility>

namespace plimsoll::jobs::profile {
namespace {

constexpr int kTokens = 64;  // of an answer, at most
constexpr int kRuns = 3;
constexpr int kWarmUps = 1;  // of the first prompt alone: it loads the model

// About this many tokens: an English word is a little more than one.
std::string prompt_of(int tokens) {
    constexpr std::string_view kText =
        "Shares of the company rose after it reported record profit while analysts warn about weak "
        "demand in Europe and a lawsuit that threatens its growth. ";
    std::string prompt = "Say in a few sentences what this means for investors. ";
    while (prompt.size() < static_cast<std::size_t>(tokens) * 5) prompt += kText;
    prompt.resize(static_cast<std::size_t>(tokens) * 5);
    return prompt;
}

class LlmArea final : public Area {
  public:
    LlmArea(const Request& request, LlmSettings settings, Watch watch)
        : url_(request.llm_endpoint),
          model_(request.llm_model),
          settings_(std::move(settings)),
          watch_(std::move(watch)) {}

    Result<PartResult> measure(std::string_view part) override {
        const auto* endpoint = find_endpoint(settings_, url_);
        if (endpoint == nullptr) {
            return fail(Errc::forbidden, "This worker's operator has not allowed the endpoint.",
                        url_);
        }
        int tokens = 0;
        std::from_chars(part.data(), part.data() + part.size(), tokens);
        const LlmRequest request{model_, prompt_of(tokens), kTokens};
        std::vector<LlmAnswer> answers;
        const int warm_ups = prompts_.empty() ? kWarmUps : 0;
        for (int run = -warm_ups; run < kRuns; ++run) {
            TRY(auto answer, call_llm(*endpoint, settings_.networks, request,
                                      std::chrono::seconds(settings_.timeout_seconds), watch_));
            if (run < 0)
                first_ = std::move(answer);
            else
                answers.push_back(std::move(answer));
        }
        if (warm_ups > 0)
            held_bytes_ = llm_memory(*endpoint, settings_.networks, model_,
                                     std::chrono::seconds(settings_.timeout_seconds), watch_);
        prompts_.push_back(prompt_json(tokens, warm_ups, answers));
        const Json& prompt = prompts_.back();
        return PartResult{{{"name", "prompts of about " + std::to_string(tokens) + " tokens"},
                           {"value", prompt.at("tokens_per_second")},
                           {"unit", "tokens/s"},
                           {"median_ms", prompt.at("median_ms")},
                           {"p95_ms", prompt.at("p95_ms")},
                           {"spread_ms", prompt.at("spread_ms")},
                           {"runs", kRuns}}};
    }

    // An entry of the guide's `results`: its keys first.
    Json report() const override {
        if (prompts_.empty()) return nullptr;
        const Json& first = prompts_.front();
        const double median = first.at("median_ms");
        return {{"model_name", model_},
                {"model_type", "llm"},
                {"timestamp", to_rfc3339(SystemClock().now())},
                {"load_time_ms", first_.load_seconds.value_or(first_.seconds) * 1e3},
                {"warm_load_time_ms", 0.0},
                {"inference_time_ms", median},
                {"items_per_second", 1e3 / median},
                {"vram_used_mb", held_bytes_.value_or(0) / 1e6},
                {"vram_total_mb", 0.0},
                {"predicted_vram_mb", 0.0},
                {"host_memory_mb", 0.0},
                {"batch_results", Json::array()},
                {"notes", held_bytes_ ? "Token counts and memory are the endpoint's own."
                                      : "Token counts are the endpoint's own; its memory is not "
                                        "known."},
                {"recommended_batch", nullptr},
                {"lengths", Json::array()},
                {"llm", {{"endpoint", url_}, {"prompts", prompts_}}}};
    }

  private:
    static Json prompt_json(int tokens, int warm_ups, const std::vector<LlmAnswer>& answers) {
        std::vector<double> seconds, firsts, rates, counts;
        std::optional<std::int64_t> prompt_tokens;
        for (const auto& answer : answers) {
            seconds.push_back(answer.seconds);
            firsts.push_back(answer.first_seconds);
            // If the model reports no time of its own: the rest is generated after the first piece.
            const double generating =
                answer.generating_seconds.value_or(answer.seconds - answer.first_seconds);
            const double all = generating > 0 ? generating : answer.seconds;
            rates.push_back(static_cast<double>(answer.tokens) / all);
            counts.push_back(static_cast<double>(answer.tokens));
            prompt_tokens = answer.prompt_tokens;
        }
        const auto timing = profiling::summarise(std::move(seconds), warm_ups);
        Json json{{"about_tokens", tokens},
                  {"prompt_tokens", prompt_tokens ? Json(*prompt_tokens) : Json()},
                  {"answer_tokens", profiling::summarise(std::move(counts), 0).median},
                  {"first_token_ms", profiling::summarise(std::move(firsts), 0).median * 1e3},
                  {"tokens_per_second", profiling::summarise(std::move(rates), 0).median}};
        json.update(timing_json(timing));
        return json;
    }

    std::string url_;
    std::string model_;
    LlmSettings settings_;
    Watch watch_;
    LlmAnswer first_;
    std::optional<double> held_bytes_;
    Json prompts_ = Json::array();
};

}  // namespace

std::unique_ptr<Area> llm_area(const Request& request, LlmSettings settings, Watch watch) {
    return std::make_unique<LlmArea>(request, std::move(settings), std::move(watch));
}

}  // namespace plimsoll::jobs::profile
