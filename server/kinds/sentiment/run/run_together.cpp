#include "server/kinds/sentiment/run/run_together.hpp"

#include "server/base/gzip.hpp"
#include "server/jobs/records/dataset.hpp"
#include "server/kinds/sentiment/contract/texts.hpp"
#include "server/kinds/sentiment/run/loaded_models.hpp"
#include "server/kinds/sentiment/run/reading.hpp"
#include "server/kinds/sentiment/run/score_by_model.hpp"
#include "server/kinds/sentiment/run/score_by_policy.hpp"
#include "server/kinds/sentiment/run/task_answer.hpp"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cmath>
#include <deque>
#include <functional>
#include <map>
#include <optional>
#include <tuple>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>

namespace plimsoll::jobs::sentiment {
namespace {

using nlohmann::json;

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

// A task whose input could be opened.
struct OpenTask {
    explicit OpenTask(SharedTask& given)
        : task(given),
          reading(reading_of(json::parse(given.args), given.context.settings)),
          answer(reading.windows) {}

    SharedTask& task;
    Reading reading;
    std::string block;
    TaskAnswer answer;
};

Result<TextSource> open_source(OpenTask& open) {
    auto block = gunzip(open.task.input, kLargestBlock);
    if (!block) return fail(block.error());
    open.block = std::move(*block);
    auto source = TextSource::open(kTexts, open.task.args, open.block);
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
using ModelKey = std::tuple<std::string, std::string, std::string>;  // as loaded_model()

std::map<ModelKey, std::vector<ShareOfModel>> shares_by_model(std::deque<OpenPolicy>& opened) {
    std::map<ModelKey, std::vector<ShareOfModel>> shares;
    for (OpenPolicy& one : opened) {
        for (const auto chain : one.policy->waiting()) {
            const auto& model = one.policy->first_model(chain);
            if (model.hash.empty()) continue;
            shares[{model.name, model.hash, model.form}].push_back({&one, chain});
        }
    }
    return shares;
}

// Texts that cannot be scored together wait, and each task looks for another model.
void score_shares(const ModelKey& key, std::span<const ShareOfModel> shares, std::size_t most) {
    const auto start = Clock::now();
    auto& context = shares.front().task->open.task.context;
    const auto& [name, hash, form] = key;
    const auto loaded = loaded_model(name, hash, form, context);
    if (!loaded) return;
    std::vector<SharedTexts> texts;
    for (const auto& [task, chain] : shares) {
        auto share = task->policy->share(chain);
        if (!share) return;
        texts.push_back(std::move(*share));
    }
    const StopOfAll stop(texts);
    if (!score_together(texts, **loaded, most, Watch{stop.token(), &context.progress})) return;
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

void run_policies(std::span<SharedTask> tasks, const json& args) {
    const auto most = reading_of(args, tasks.front().context.settings).texts;
    std::deque<OpenPolicy> opened;
    for (SharedTask& task : tasks) {
        OpenPolicy& one = opened.emplace_back(OpenTask{task});
        auto source = open_source(one.open);
        auto policy = source ? PolicyTask::begin(json::parse(task.args).at("policy"),
                                                 std::move(*source), one.open.reading, task.context)
                             : fail(source.error());
        if (!policy) {
            task.output = fail(policy.error());
            opened.pop_back();
            continue;
        }
        one.policy = std::move(*policy);
    }
    for (const auto& [model, shares] : shares_by_model(opened)) score_shares(model, shares, most);
    for (OpenPolicy& one : opened) {
        const auto start = Clock::now();
        auto& task = one.open.task;
        const auto done = one.policy->finish(one.open.answer);
        task.output =
            done ? Result<TaskOutput>(one.open.answer.finish(task.context)) : fail(done.error());
        task.work += nanoseconds_since(start);
    }
}

}  // namespace

std::string shared_key(std::string_view args) {
    const json plan = json::parse(args);
    const auto batch_size = plan.value("batch_size", 0);
    if (plan.contains("policy")) {
        const auto policy = resolved_policy_from_json(plan.at("policy"));
        const bool has_model = std::ranges::any_of(policy.chains, [](const ModelChain& chain) {
            return !chain.models.front().hash.empty();
        });
        return has_model ? json{"policy", batch_size}.dump() : std::string();
    }
    if (!plan.contains("model_hash")) return {};
    return json{plan.at("model_hash"), plan.at("form"), batch_size}.dump();
}

void run_together(std::span<SharedTask> tasks) {
    const json args = json::parse(tasks.front().args);
    if (args.contains("policy")) return run_policies(tasks, args);
    auto& first = tasks.front().context;
    const auto loaded =
        loaded_model(args.at("model"), args.at("model_hash"), args.at("form"), first);
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
        const auto take = [&open](const text::RecordView& item, const TextScores* scores) {
            if (scores == nullptr) {
                open.answer.add_failed(item);
            } else {
                open.answer.add(item, *scores);
            }
        };
        texts.push_back({.source = std::move(*source),
                         .context = task.context,
                         .take = take,
                         .windows = open.reading.windows});
    }
    const StopOfAll stop(texts);
    const auto most = reading_of(args, first.settings).texts;
    const Watch watch{stop.token(), &first.progress};
    if (!score_together(texts, **loaded, most, watch)) return;
    for (std::size_t i = 0; i < texts.size(); ++i) {
        auto& task = opened[i].task;
        task.work = texts[i].tokens;
        if (texts[i].done) {
            task.output = opened[i].answer.finish(task.context);
        } else {
            task.output = fail(texts[i].done.error());
        }
    }
}

}  // namespace plimsoll::jobs::sentiment
