#pragma once

#include "server/jobs/kind.hpp"
#include "server/jobs/records/text_source.hpp"
#include "server/kinds/sentiment/contract/model_choice.hpp"
#include "server/kinds/sentiment/run/counters.hpp"
#include "server/kinds/sentiment/run/score_by_model.hpp"
#include "server/kinds/sentiment/run/scores.hpp"
#include "server/kinds/sentiment/run/task_output_builder.hpp"

#include <optional>
#include <string>
#include <vector>

namespace plimsoll::jobs::sentiment {

// A task whose texts are scored by the models that the job's policy (ResolvedPolicy) chooses. If
// this worker cannot load a model, because of memory, the model or the device, it uses the next one
// of the chain. It keeps references to `context`.
class PolicyTask {
  public:
    static Result<PolicyTask> begin(const ResolvedPolicy& policy, TextSource source,
                                    const BatchOptions& options, RunContext& context);

    // Chains whose texts are not scored yet.
    std::vector<std::size_t> waiting() const;
    // The model that a chain tries first; VADER has no hash.
    const UsableModel& first_model(std::size_t chain) const;

    // The texts of a chain, for its first model to score; call used() afterwards. The task must not
    // move meanwhile.
    Result<SharedTexts> share(std::size_t chain);
    void used(std::size_t chain);

    // Scores the remaining texts, and returns the output.
    Result<void> finish(TaskOutputBuilder& output);

  private:
    // The texts that one chain scores, in the order of the task.
    struct Share {
        std::string block;
        std::vector<std::size_t> places;  // in the task
        std::optional<Choice> choice;     // once they are scored
    };
    // The scores of a text, or why it has no model.
    struct Found {
        ModelChoice choice;
        TextScores scores;
        std::optional<Error> refused;
    };

    PolicyTask(Chooser chooser, TextSource source, const BatchOptions& options, RunContext& context)
        : chooser_(std::move(chooser)),
          source_(std::move(source)),
          options_(options),
          context_(&context) {}

    const std::vector<ModelChain>& chains() const { return chooser_.policy().chains; }
    TakeScores take(std::size_t chain);
    Result<void> share_out();
    Result<void> score(std::size_t chain);
    Result<void> score_by(const UsableModel& model, std::size_t chain);
    Choice choice_of(std::size_t chain, const UsableModel& model, std::string fallback) const;

    Chooser chooser_;
    TextSource source_;
    BatchOptions options_;
    RunContext* context_;
    std::vector<Share> shares_;  // by chain
    std::vector<Found> found_;   // by place in the task
};

}  // namespace plimsoll::jobs::sentiment
