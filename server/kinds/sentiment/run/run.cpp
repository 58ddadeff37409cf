#include "engine/base/json.hpp"
#include "engine/models/store.hpp"
#include "engine/transformer/guard.hpp"
#include "server/base/gzip.hpp"
#include "server/jobs/kind.hpp"
#include "server/jobs/records/dataset.hpp"
#include "server/jobs/records/text_source.hpp"
#include "server/kinds/sentiment/contract/args.hpp"
#include "server/kinds/sentiment/contract/models.hpp"
#include "server/kinds/sentiment/contract/settings.hpp"
#include "server/kinds/sentiment/contract/texts.hpp"
#include "server/kinds/sentiment/run/comparison/score_by_all.hpp"
#include "server/kinds/sentiment/run/idle.hpp"
#include "server/kinds/sentiment/run/loaded_models.hpp"
#include "server/kinds/sentiment/run/score_by_model.hpp"
#include "server/kinds/sentiment/run/score_by_policy.hpp"
#include "server/kinds/sentiment/run/score_by_vader.hpp"
#include "server/kinds/sentiment/run/task_output_builder.hpp"

#include <algorithm>
#include <any>
#include <atomic>
#include <chrono>
#include <cmath>
#include <deque>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace plimsoll::jobs::sentiment {
namespace {

// Requests a stop once every one of some tasks was asked to stop.
class StopOfAll {
  public:
    explicit StopOfAll(std::span<const SharedTexts> tasks) : left_(tasks.size()) {
        for (const SharedTexts& task : tasks) {
            stops_.emplace_back(task.context.stop, [this] {
                if (--left_ == 0) all_.request_stop();
            });
        }
    }

    std::stop_token token() const { return all_.get_token(); }

  private:
    std::atomic<std::size_t> left_;
    std::stop_source all_;
    std::deque<std::stop_callback<std::function<void()>>> stops_;
};

const Args& args_of(const SharedTask& task) { return std::any_cast<const Args&>(task.args); }

BatchOptions options_of(const SharedTask& task) {
    return batch_options(args_of(task).options, task.context.settings);
}

// A task whose input could be opened.
struct OpenTask {
    explicit OpenTask(SharedTask& given)
        : task(given),
          options(options_of(given)),
          output(options.windows, args_of(given).model.name) {}

    SharedTask& task;
    BatchOptions options;
    std::string block;
    TaskOutputBuilder output;
};

Result<TextSource> open_source(OpenTask& open) {
    TRY(auto block, gunzip(open.task.input, kLargestBlock));
    open.block = std::move(block);
    auto source = TextSource::open(kTexts, args_of(open.task), open.block);
    if (source) open.task.context.progress.set_total(source->count());
    return source;
}

// A task with a policy. Its work is counted in nanoseconds; that of a model shared by several tasks
// is divided by tokens.
struct OpenPolicy {
    OpenTask open;
    std::optional<PolicyTask> policy = {};
};

using Clock = std::chrono::steady_clock;

std::uint64_t nanoseconds_since(Clock::time_point start) {
    return static_cast<std::uint64_t>(
        std::chrono::duration_cast<std::chrono::nanoseconds>(Clock::now() - start).count());
}

struct ShareOfModel {
    OpenPolicy* task;
    std::size_t chain;
};

std::map<UsableModel, std::vector<ShareOfModel>> shares_by_model(std::deque<OpenPolicy>& opened) {
    std::map<UsableModel, std::vector<ShareOfModel>> shares;
    for (OpenPolicy& one : opened) {
        for (const auto chain : one.policy->waiting()) {
            const auto& model = one.policy->first_model(chain);
            if (!model.hash.empty()) shares[model].push_back({&one, chain});
        }
    }
    return shares;
}

// Texts that cannot be scored together wait, and each task looks for another model.
void score_shares(const UsableModel& model, std::span<const ShareOfModel> shares, std::size_t max) {
    const auto start = Clock::now();
    auto& context = shares.front().task->open.task.context;
    const auto loaded = loaded_model(model, context);
    if (!loaded) return;
    std::vector<SharedTexts> texts;
    for (const auto& [task, chain] : shares) {
        auto share = task->policy->share(chain);
        if (!share) return;
        texts.push_back(std::move(*share));
    }
    const StopOfAll stop(texts);
    if (!score_together(texts, **loaded, max, Watch{stop.token(), &context.progress})) return;
    std::uint64_t all = 0;
    for (std::size_t i = 0; i < shares.size(); ++i) {
        if (texts[i].done) shares[i].task->policy->used(shares[i].chain);
        all += texts[i].tokens;
    }
    const auto took = static_cast<double>(nanoseconds_since(start));
    for (std::size_t i = 0; i < shares.size() && all > 0; ++i) {
        const double part = static_cast<double>(texts[i].tokens) / static_cast<double>(all);
        shares[i].task->open.task.work += static_cast<std::uint64_t>(std::llround(took * part));
    }
}

void run_policies(std::span<SharedTask> tasks) {
    const auto max = options_of(tasks.front()).texts;
    std::deque<OpenPolicy> opened;
    for (SharedTask& task : tasks) {
        OpenPolicy& one = opened.emplace_back(OpenTask{task});
        auto source = open_source(one.open);
        auto policy = source ? PolicyTask::begin(*args_of(task).policy, std::move(*source),
                                                 one.open.options, task.context)
                             : fail(source.error());
        if (!policy) {
            task.output = fail(policy.error());
            opened.pop_back();
            continue;
        }
        one.policy = std::move(*policy);
    }
    for (const auto& [model, shares] : shares_by_model(opened)) score_shares(model, shares, max);
    for (OpenPolicy& one : opened) {
        const auto start = Clock::now();
        auto& task = one.open.task;
        const auto done = one.policy->finish(one.open.output);
        task.output =
            done ? Result<TaskOutput>(one.open.output.finish(task.context)) : fail(done.error());
        task.work += nanoseconds_since(start);
    }
}

// See Run::shared_key: tasks with the same model in the same form share its batches.
std::string shared_key(const Args& args) {
    const auto batch_size = args.options.batch_size.value_or(0);
    if (args.policy) {
        const bool has_model = std::ranges::any_of(args.policy->chains, [](const auto& chain) {
            return !chain.models.front().hash.empty();
        });
        return has_model ? json{"policy", batch_size}.dump() : std::string();
    }
    if (!args.models.empty() || args.model.hash.empty()) return {};
    return json{args.model.hash, args.model.form, batch_size}.dump();
}

// See Run::run_together.
void run_together(std::span<SharedTask> tasks) {
    const auto& args = args_of(tasks.front());
    if (args.policy) return run_policies(tasks);
    auto& first = tasks.front().context;
    const auto loaded = loaded_model(args.model, first);
    if (!loaded) return;

    std::deque<OpenTask> opened;
    std::vector<SharedTexts> texts;
    for (SharedTask& task : tasks) {
        OpenTask& open = opened.emplace_back(task);
        auto source = open_source(open);
        if (!source) {
            task.output = fail(source.error());
            opened.pop_back();
            continue;
        }
        texts.push_back({.source = std::move(*source),
                         .context = task.context,
                         .take = open.output.taker(),
                         .windows = open.options.windows});
    }
    const StopOfAll stop(texts);
    const auto max = options_of(tasks.front()).texts;
    const Watch watch{stop.token(), &first.progress};
    if (!score_together(texts, **loaded, max, watch)) return;
    for (std::size_t i = 0; i < texts.size(); ++i) {
        auto& task = opened[i].task;
        task.work = texts[i].tokens;
        if (texts[i].done)
            task.output = opened[i].output.finish(task.context);
        else
            task.output = fail(texts[i].done.error());
    }
}

Result<void> score_by(const Args& args, TextSource source, const BatchOptions& options,
                      RunContext& context, TaskOutputBuilder& output) {
    if (args.policy) {
        auto task = PolicyTask::begin(*args.policy, std::move(source), options, context);
        return task ? task->finish(output) : fail(task.error());
    }
    if (!args.models.empty())
        return score_by_all(args, std::move(source), options, context, output);
    const auto& model = args.model;
    if (model.hash.empty()) return score_by_vader(std::move(source), context, output.taker());
    TRY(const auto loaded, loaded_model(model, context));
    return score_by_model(std::move(source), *loaded, options, context, output.taker());
}

Result<TaskOutput> score(const Args& args, std::string_view input, RunContext& context) {
    TRY(const auto block, gunzip(input, kLargestBlock));
    TRY(auto source, TextSource::open(kTexts, args, block));
    context.progress.set_total(source.count());
    const auto options = batch_options(args.options, context.settings);
    TaskOutputBuilder output(options.windows, args.model.name);
    TRY_DO(score_by(args, std::move(source), options, context, output));
    return output.finish(context);
}

Result<Merged> merge(const Args& args, std::span<const std::string> partials) {
    Aggregate all;
    for (const std::string& partial : partials) {
        TRY(const auto one, from_text<Aggregate>(partial));
        all.add(one);
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
Capabilities capabilities(const KindSettings& settings, const opencl::Capability* device) {
    if (device == nullptr) return {};
    auto models = models::Store(models_folder(settings)).list();
    Capabilities can;
    for (auto& model : models) {
        if (!::plimsoll::sentiment::Meaning::of(model.labels)) continue;
        can.names.push_back(capability_of(model.name, model.hash));
        std::erase_if(model.proofs, [&](const models::Proof& proof) {
            return !transformer::is_of(*device, proof);
        });
        for (const auto& proof : model.proofs)
            if (proof.passed)
                can.names.push_back(capability_of(model.name, model.hash, proof.form));
    }
    can.advertisement = advertisement_of(models).dump();
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
                                .capabilities = capabilities};

}  // namespace plimsoll::jobs::sentiment
