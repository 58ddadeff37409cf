#include "engine/models/store.hpp"
#include "engine/transformer/guard.hpp"
#include "server/base/gzip.hpp"
#include "server/jobs/kind.hpp"
#include "server/jobs/records/dataset.hpp"
#include "server/jobs/records/text_source.hpp"
#include "server/kinds/sentiment/contract/models.hpp"
#include "server/kinds/sentiment/contract/settings.hpp"
#include "server/kinds/sentiment/contract/texts.hpp"
#include "server/kinds/sentiment/run/comparison/score_by_all.hpp"
#include "server/kinds/sentiment/run/idle/proving.hpp"
#include "server/kinds/sentiment/run/idle/tuning.hpp"
#include "server/kinds/sentiment/run/idle/warm_up.hpp"
#include "server/kinds/sentiment/run/loaded_models.hpp"
#include "server/kinds/sentiment/run/run_together.hpp"
#include "server/kinds/sentiment/run/score_by_model.hpp"
#include "server/kinds/sentiment/run/score_by_policy.hpp"
#include "server/kinds/sentiment/run/score_by_vader.hpp"
#include "server/kinds/sentiment/run/task_output_builder.hpp"

#include <nlohmann/json.hpp>

namespace plimsoll::jobs::sentiment {
namespace {

Result<void> score_by(const Args& args, TextSource source, const BatchOptions& options,
                      RunContext& context, TaskOutputBuilder& output) {
    if (args.policy) {
        auto task = PolicyTask::begin(*args.policy, std::move(source), options, context);
        return task ? task->finish(output) : fail(task.error());
    }
    if (!args.models.empty()) {
        return score_by_all(args, std::move(source), options, context, output);
    }
    const auto& model = args.model;
    if (model.hash.empty()) return score_by_vader(std::move(source), context, output.taker());
    const auto loaded = loaded_model(model, context);
    if (!loaded) return fail(loaded.error());
    return score_by_model(std::move(source), **loaded, options, context, output.taker());
}

Result<TaskOutput> score(const Args& args, std::string_view input, RunContext& context) {
    const auto block = gunzip(input, kLargestBlock);
    if (!block) return fail(block.error());
    auto source = TextSource::open(kTexts, args, *block);
    if (!source) return fail(source.error());
    context.progress.set_total(source->count());
    const auto options = batch_options(args.options, context.settings);
    TaskOutputBuilder output(options.windows);
    if (auto done = score_by(args, std::move(*source), options, context, output); !done) {
        return fail(done.error());
    }
    return output.finish(context);
}

Result<Merged> merge(const Args& args, std::span<const std::string> partials) {
    Aggregate all;
    for (const std::string& partial : partials) {
        const auto one = from_text<Aggregate>(partial);
        if (!one) return fail(one.error());
        all.add(*one);
    }
    return Merged{all.summary(args), {}};
}

// Models that policies need soon come first, and the remaining memory is left to tasks: proofs can
// wait.
Prepared prepare_next(RunContext& context, Timestamp now) {
    if (warm_up(context, now)) return {.worked = false, .keeps_ready = true};
    return {.worked = prove_next(context) || tune_next(context), .keeps_ready = false};
}

// The models of this machine, with the proofs of the forms that the device supports. Jobs can name
// those with sentiment labels; the others are offered so that a refusal can give the reason.
Abilities abilities(const KindSettings& settings, const opencl::Capability* device) {
    if (device == nullptr) return {};
    auto models = models::Store(models_folder(settings)).list();
    Abilities can;
    for (auto& model : models) {
        if (!::plimsoll::sentiment::Meaning::of(model.labels)) continue;
        can.names.push_back(capability_of(model.name, model.hash));
        std::erase_if(model.proofs, [&](const models::Proof& proof) {
            return !transformer::is_of(*device, proof);
        });
        for (const auto& proof : model.proofs) {
            if (proof.passed) {
                can.names.push_back(capability_of(model.name, model.hash, proof.form));
            }
        }
    }
    can.offer = offer_of(models).dump();
    return can;
}

}  // namespace

constinit extern const Run kRun{.name = kName,
                                .version = kVersion,
                                .parse = typed<from_text<Args>>,
                                .run = typed<score>,
                                .merge = typed<merge>,
                                .shared_key = typed<shared_key>,
                                .run_together = run_together,
                                .release = release_models,
                                .prepare = prepare_next,
                                .settings = kSettings,
                                .abilities = abilities};

}  // namespace plimsoll::jobs::sentiment
