#include "server/kinds/sentiment/run/comparison/score_by_all.hpp"

#include "engine/base/json.hpp"
#include "server/kinds/sentiment/run/loaded_models.hpp"
#include "server/kinds/sentiment/run/score_by_vader.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdlib>
#include <optional>
#include <utility>

namespace plimsoll::jobs::sentiment {
namespace {

using Scores = std::vector<std::optional<TextScores>>;  // by place in the task

// An Error with one of these codes concerns this worker and model: other models may still work.
bool is_of_model(const Error& error) {
    return error.code == Errc::unavailable || error.code == Errc::exhausted ||
           error.code == Errc::not_found;
}

class AllScoring {
  public:
    AllScoring(const Args& args, const BatchOptions& options, RunContext& context)
        : models_(args.models),
          labels_(args.options.label_names),
          neutral_within_(scaled(args.options.neutral_within.value_or(0))),
          options_(options),
          context_(context),
          comparison_(models_.size()) {}

    Result<void> run(TextSource source, TaskOutputBuilder& output) {
        std::optional<Error> failed;
        std::size_t left = models_.size();
        for (std::size_t i = 0; i < models_.size(); ++i) {
            // Items of the task are done when the last model has scored them.
            Progress part(&context_.progress);
            auto context = with_progress(i + 1 == models_.size() ? context_.progress : part);
            auto scored = score(i, source, context);
            if (scored) continue;
            if (!is_of_model(scored.error())) return scored;
            failed = scored.error();
            comparison_.add_use(i, {.error = failed->message});
            context_.say(LogLevel::warning,
                         "The model " + models_[i].name +
                             " is not compared in this task: " + failed->message);
            --left;
        }
        if (left == 0) return fail(*failed);
        return tell(std::move(source), output);
    }

  private:
    RunContext with_progress(Progress& progress) const {
        return {.device = context_.device,
                .progress = progress,
                .stop = context_.stop,
                .node = context_.node,
                .capability = context_.capability,
                .ledger = context_.ledger,
                .settings = context_.settings,
                .log = context_.log};
    }

    Result<void> score(std::size_t place, const TextSource& source, RunContext& context) {
        const ComparedModel& model = models_[place];
        Scores& scores = scores_.emplace_back();
        scores.reserve(source.count());
        ModelUse use;
        const auto take = [&](const text::RecordView&, const TextScores* found) {
            if (found == nullptr) {
                scores.emplace_back();
                return;
            }
            scores.emplace_back(*found);
            auto& label = scores.back()->label;
            if (!model.has_neutral && std::abs(found->compound) < neutral_within_)
                label = Label::neutral;
            ++use.texts;
        };
        LoadedModel* loaded = nullptr;
        if (!model.hash.empty()) {
            TRY(loaded, loaded_model({model.name, model.hash, model.form}, context));
            use.load_seconds = loaded->load_seconds;
            use.bytes = static_cast<std::int64_t>(loaded->classifier->model().held_bytes());
        }
        const auto start = std::chrono::steady_clock::now();
        auto done = loaded == nullptr ? score_by_vader(source, context, take)
                                      : score_by_model(source, *loaded, options_, context, take);
        use.seconds =
            std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
        if (!done) {
            scores.clear();
            return done;
        }
        comparison_.add_use(place, use);
        return {};
    }

    std::optional<Given> given_of(const text::RecordView& item) const {
        const auto& label = item.attributes[text::Attribute::label];
        if (!label) return std::nullopt;
        return Given{*label, labels_.of(*label)};
    }

    Result<void> tell(TextSource source, TaskOutputBuilder& output) {
        Scores of_item(models_.size());
        for (std::size_t at = 0;; ++at) {
            TRY(const auto record, source.next());
            if (!record) break;
            const text::RecordView& item = *record;
            if (item.is_error) {
                output.add_failed(item);
                continue;
            }
            for (std::size_t i = 0; i < models_.size(); ++i)
                of_item[i] = at < scores_[i].size() ? scores_[i][at] : std::nullopt;
            // The model in use, or the next one where it could not score.
            const auto first = std::ranges::find_if(
                of_item, [](const auto& scores) { return scores.has_value(); });
            comparison_.add(item, of_item, given_of(item));
            output.add(
                item, **first,
                RowMore{.model = models_[static_cast<std::size_t>(first - of_item.begin())].name,
                        .models = models_text(of_item),
                        .whole = disagree(of_item)});
        }
        output.set(std::move(comparison_));
        return {};
    }

    std::string models_text(AllScores scores) const {
        json all = json::object();
        for (std::size_t i = 0; i < models_.size(); ++i) {
            if (!scores[i]) continue;
            all[models_[i].name] = {{"label", to_string(scores[i]->label)},
                                    {"compound", fraction(scores[i]->compound)}};
        }
        return all.dump();
    }

    std::vector<ComparedModel> models_;
    GivenLabels labels_;
    std::int64_t neutral_within_;
    BatchOptions options_;
    RunContext& context_;
    Comparison comparison_;
    std::vector<Scores> scores_;  // by model; of one that failed: none
};

}  // namespace

Result<void> score_by_all(const Args& args, TextSource source, const BatchOptions& options,
                          RunContext& context, TaskOutputBuilder& output) {
    return AllScoring(args, options, context).run(std::move(source), output);
}

nlohmann::json compared_json(const Args& args, const std::optional<Comparison>& comparison) {
    if (args.models.empty()) return nullptr;
    auto models = args.models;
    for (auto& model : models) model.maps_neutral = args.options.neutral_within.has_value();
    return comparison.value_or(Comparison(models.size())).summary(models);
}

}  // namespace plimsoll::jobs::sentiment
