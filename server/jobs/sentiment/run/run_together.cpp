#include "server/jobs/sentiment/run/run_together.hpp"

#include "server/base/gzip.hpp"
#include "server/jobs/records/dataset.hpp"
#include "server/jobs/sentiment/contract/settings.hpp"
#include "server/jobs/sentiment/contract/texts.hpp"
#include "server/jobs/sentiment/run/loaded_models.hpp"
#include "server/jobs/sentiment/run/score_by_model.hpp"
#include "server/jobs/sentiment/run/task_answer.hpp"

#include <atomic>
#include <deque>
#include <functional>
#include <vector>

#include <nlohmann/json.hpp>

namespace plimsoll::jobs::sentiment {
namespace {

using nlohmann::json;

// Asks to stop when each of some tasks is asked to.
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
    SharedTask& task;
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

}  // namespace

std::string shared_key(std::string_view args) {
    const json plan = json::parse(args);
    if (!plan.contains("model_hash") || plan.contains("policy") || plan.contains("models"))
        return {};
    return json{plan.at("model_hash"), plan.at("form"), plan.value("batch_size", 0)}.dump();
}

void run_together(std::span<SharedTask> tasks) {
    const json args = json::parse(tasks.front().args);
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
        texts.push_back({.source = std::move(*source), .context = task.context, .take = take});
    }
    const StopOfAll stop(texts);
    const auto most = args.value("batch_size", most_texts(first.settings));
    const Watch watch{stop.token(), &first.progress};
    if (!score_together(texts, **loaded, most, watch)) return;
    for (std::size_t i = 0; i < texts.size(); ++i) {
        auto& task = opened[i].task;
        task.work = texts[i].tokens;
        if (texts[i].done) {
            task.output = opened[i].answer.finish();
        } else {
            task.output = fail(texts[i].done.error());
        }
    }
}

}  // namespace plimsoll::jobs::sentiment
