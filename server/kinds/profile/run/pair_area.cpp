#include "engine/profiling/timing.hpp"
#include "server/kinds/profile/run/figures.hpp"
#include "server/kinds/profile/run/llm_call.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <functional>
#include <future>
#include <utility>
#include <vector>

namespace plimsoll::jobs::profile {
namespace {

constexpr int kRounds = 3;
constexpr std::int64_t kBatch = 32;
constexpr std::int64_t kMaxBatches = 100'000;
constexpr int kAnswerTokens = 64;  // of an answer, at most
constexpr double kWorthIt = 1.1;

using Work = std::function<Result<void>()>;

// A model scores texts for about as long as a prompt takes: each alone, then both at once.
class PairArea final : public Area {
  public:
    PairArea(const Request& request, const RunContext& context, LlmSettings settings, Watch watch)
        : request_(request),
          context_(context),
          settings_(std::move(settings)),
          watch_(std::move(watch)) {}

    Result<PartResult> measure(std::string_view /*part*/) override {
        TRY(const auto model, sentiment_model(request_, context_));
        TRY_DO(model.model.load());
        const auto& texts = model.model.lengths.front();
        const Work batch = [&] { return texts.run(kBatch); };
        const Work ask = [this] { return ask_once(); };
        TRY_DO(batch());  // compiles, and loads the language model
        TRY_DO(ask());
        TRY(const double of_batch, seconds_of(batch));
        TRY(const double of_prompt, seconds_of(ask));
        const auto batches = static_cast<std::int64_t>(
            std::clamp(std::round(of_prompt / of_batch), 1.0, static_cast<double>(kMaxBatches)));
        const Work score = [&]() -> Result<void> {
            for (std::int64_t i = 0; i < batches; ++i) {
                if (watch_.stopped()) return fail(Errc::cancelled, "The measurement was stopped.");
                TRY_DO(batch());
            }
            return {};
        };
        const Work both = [&] {
            auto answer = std::async(std::launch::async, ask);
            auto scored = score();
            auto asked = answer.get();
            return scored ? asked : scored;
        };
        std::vector<double> scoring, asking, together;
        for (int round = 0; round < kRounds; ++round) {
            TRY(scoring.emplace_back(), seconds_of(score));
            TRY(asking.emplace_back(), seconds_of(ask));
            TRY(together.emplace_back(), seconds_of(both));
        }
        const auto median = [](std::vector<double>& all) {
            return profiling::summarise(std::move(all), 0).median;
        };
        const double alone[] = {median(scoring), median(asking)};
        const double at_once = median(together);
        const double speedup = (alone[0] + alone[1]) / at_once;
        report_ = {{"sentiment_model", request_.sentiment_model},
                   {"llm_model", request_.llm_model},
                   {"texts", batches * kBatch},
                   {"scoring_seconds", alone[0]},
                   {"asking_seconds", alone[1]},
                   {"together_seconds", at_once},
                   {"speedup", speedup},
                   {"recommended", speedup > kWorthIt}};
        return PartResult{{{"name", "both at once, against one after the other"},
                           {"value", speedup},
                           {"unit", "times as fast"},
                           {"median_ms", at_once * 1e3},
                           {"runs", kRounds}}};
    }

    Json report() const override { return report_; }

  private:
    static Result<double> seconds_of(const Work& work) {
        const double start = profiling::steady_seconds();
        TRY_DO(work());
        return profiling::steady_seconds() - start;
    }

    // Beside the computing thread, which shows progress for both.
    Result<void> ask_once() const {
        const auto* endpoint = find_endpoint(settings_, request_.llm_endpoint);
        if (endpoint == nullptr)
            return fail(Errc::forbidden, "This worker's operator has not allowed the endpoint.",
                        request_.llm_endpoint);
        const LlmRequest prompt{
            request_.llm_model,
            "Say in a few sentences why the shares of a shipping line rose after its report.",
            kAnswerTokens};
        TRY_DO(call_llm(*endpoint, settings_.networks, prompt,
                        std::chrono::seconds(settings_.timeout_seconds), {watch_.stop, nullptr}));
        return {};
    }

    Request request_;
    const RunContext& context_;
    LlmSettings settings_;
    Watch watch_;
    Json report_;  // null until it is measured
};

}  // namespace

std::unique_ptr<Area> pair_area(const Request& request, const RunContext& context,
                                LlmSettings settings, Watch watch) {
    return std::make_unique<PairArea>(request, context, std::move(settings), std::move(watch));
}

}  // namespace plimsoll::jobs::profile
