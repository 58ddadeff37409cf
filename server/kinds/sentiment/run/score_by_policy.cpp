#include "server/kinds/sentiment/run/score_by_policy.hpp"

#include "server/kinds/sentiment/contract/texts.hpp"
#include "server/kinds/sentiment/run/idle.hpp"
#include "server/kinds/sentiment/run/loaded_models.hpp"
#include "server/kinds/sentiment/run/score_by_vader.hpp"

#include <utility>

namespace plimsoll::jobs::sentiment {
namespace {

std::string_view source_of(const text::RecordView& item) {
    return item.attributes[text::Attribute::source].value_or("");
}

bool makes_way(const Error& error) {
    return error.code == Errc::unavailable || error.code == Errc::exhausted ||
           error.code == Errc::not_found;
}

}  // namespace

Result<PolicyTask> PolicyTask::begin(const ResolvedPolicy& policy, TextSource source,
                                     const BatchOptions& options, RunContext& context) {
    TRY(auto chooser, Chooser::of(policy));
    if (context.device != nullptr) remember(chooser.policy());
    PolicyTask task(std::move(chooser), std::move(source), options, context);
    TRY_DO(task.share_out());
    return task;
}

std::vector<std::size_t> PolicyTask::waiting() const {
    std::vector<std::size_t> chains;
    for (std::size_t chain = 0; chain < shares_.size(); ++chain)
        if (!shares_[chain].places.empty() && !shares_[chain].choice) chains.push_back(chain);
    return chains;
}

const UsableModel& PolicyTask::first_model(std::size_t chain) const {
    return chains()[chain].models.front();
}

Result<SharedTexts> PolicyTask::share(std::size_t chain) {
    TRY(auto source, TextSource::open(kTexts, TextArgs(), shares_[chain].block));
    return SharedTexts{.source = std::move(source),
                       .context = *context_,
                       .take = take(chain),
                       .windows = options_.windows};
}

void PolicyTask::used(std::size_t chain) {
    shares_[chain].choice = choice_of(chain, first_model(chain), chains()[chain].missing);
}

TakeScores PolicyTask::take(std::size_t chain) {
    return [this, place = shares_[chain].places.cbegin()](const text::RecordView&,
                                                          const TextScores* scores) mutable {
        found_[*place++].scores = *scores;
    };
}

Choice PolicyTask::choice_of(std::size_t chain, const UsableModel& model,
                             std::string fallback) const {
    const bool is_rule = chain < chains().size() - 1;
    return {.rule = is_rule ? static_cast<std::int64_t>(chain) + 1 : 0,
            .asked = chains()[chain].asked,
            .model = model,
            .fallback = std::move(fallback)};
}

Result<void> PolicyTask::share_out() {
    shares_.resize(chains().size());
    std::vector<text::RecordBlockWriter> blocks(chains().size(), text::RecordBlockWriter{0});
    for (TextSource source = source_;;) {
        TRY(const auto record, source.next());
        if (!record) break;
        Found found;
        const text::RecordView& item = *record;
        if (!item.is_error) {
            auto choice = chooser_.choose(item.attributes[text::Attribute::time], source_of(item));
            if (choice) {
                found.choice = *choice;
                shares_[choice->chain].places.push_back(found_.size());
                text::Record alone;
                alone.text = item.text;
                blocks[choice->chain].add(alone);
            } else {
                found.refused = std::move(choice.error());
            }
        }
        if (item.is_error || found.refused) context_->progress.advance(1);
        found_.push_back(std::move(found));
    }
    for (std::size_t chain = 0; chain < blocks.size(); ++chain)
        shares_[chain].block = blocks[chain].take();
    return {};
}

Result<void> PolicyTask::score(std::size_t chain) {
    const auto& models = chains()[chain].models;
    std::string fallback = chains()[chain].missing;
    for (std::size_t i = 0; i < models.size(); ++i) {
        auto scored = score_by(models[i], chain);
        if (scored) {
            shares_[chain].choice = choice_of(chain, models[i], std::move(fallback));
            return {};
        }
        if (!makes_way(scored.error()) || i + 1 == models.size()) return scored;
        context_->say(LogLevel::warning,
                      "Fell back from the model " + models[i].name +
                          " to the next in its chain: " + scored.error().message);
        fallback += (fallback.empty() ? "" : "; ") + models[i].name + ": " + scored.error().message;
    }
    return fail(Errc::internal, "A policy names no model.");
}

Result<void> PolicyTask::score_by(const UsableModel& model, std::size_t chain) {
    TRY(auto texts, share(chain));
    if (model.hash.empty()) return score_by_vader(texts.source, *context_, texts.take);
    TRY(const auto loaded, loaded_model(model, *context_));
    return score_by_model(texts.source, *loaded, options_, *context_, texts.take);
}

Result<void> PolicyTask::finish(TaskOutputBuilder& output) {
    for (const auto chain : waiting()) TRY_DO(score(chain));
    for (const Found& found : found_) {
        TRY(auto record, source_.next());
        text::RecordView& item = *record;
        if (found.refused) {
            item.is_error = true;
            item.error_code = "invalid_time";
            item.error_message = found.refused->message;
        }
        if (item.is_error) {
            output.add_failed(item);
            continue;
        }
        const Choice& choice = *shares_[found.choice.chain].choice;
        auto reason = chooser_.reason(found.choice, source_of(item));
        if (!choice.fallback.empty()) reason += "; " + choice.fallback;
        output.add(item, found.scores, RowMore{.choice = &choice, .reason = reason});
    }
    return {};
}

}  // namespace plimsoll::jobs::sentiment
