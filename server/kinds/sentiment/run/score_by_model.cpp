#include "server/kinds/sentiment/run/score_by_model.hpp"

#include "server/kinds/sentiment/contract/settings.hpp"

#include <deque>
#include <utility>
#include <vector>

namespace plimsoll::jobs::sentiment {
namespace {

TextScores scores_of(const transformer::Classified& text, const LoadedModel& model) {
    const auto opinion = model.meaning.opinion(text.probabilities);
    return {.label = static_cast<Label>(class_of(opinion)),
            .compound = scaled(opinion.compound),
            .positive = scaled(opinion.positive),
            .neutral = scaled(opinion.neutral),
            .negative = scaled(opinion.negative),
            .tokens = text.tokens,
            .truncated = text.truncated,
            .windows = text.windows,
            .duplicate = text.duplicate};
}

// The texts of a source, one by one; items that are errors count as done.
class Texts {
  public:
    Texts(TextSource& source, Progress& progress) : source_(source), progress_(progress) {}

    Result<const std::string_view*> next() {
        while (true) {
            TRY(const auto record, source_.next());
            if (!record) return nullptr;
            if (record->is_error) {
                progress_.advance(1);
                continue;
            }
            text_ = record->text;
            return &text_;
        }
    }

  private:
    TextSource& source_;
    Progress& progress_;
    std::string_view text_;
};

// Passes every item to `take`; `source` is read again, since rows need the text.
Result<void> take_all(TextSource source, const std::vector<transformer::Classified>& classified,
                      const LoadedModel& model, const TakeScores& take) {
    for (auto text = classified.begin();;) {
        TRY(const auto record, source.next());
        if (!record) return {};
        if (record->is_error) {
            take(*record, nullptr);
            continue;
        }
        const auto scores = scores_of(*text++, model);
        take(*record, &scores);
    }
}

}  // namespace

BatchOptions batch_options(const Options& options, const KindSettings& settings) {
    return {.texts = options.batch_size.value_or(max_texts(settings)),
            .windows = options.in_windows()};
}

Result<void> score_together(std::span<SharedTexts> tasks, LoadedModel& model, std::size_t texts,
                            const Watch& watch) {
    std::deque<TextSource> sources;
    std::deque<Texts> readers;
    std::vector<transformer::TextClassifier::Part> parts;
    for (SharedTexts& task : tasks) {
        auto& progress = task.context.progress;
        auto& reader = readers.emplace_back(sources.emplace_back(task.source), progress);
        parts.push_back({.next = [&reader] { return reader.next(); },
                         .done =
                             [&progress](std::size_t more, std::size_t tokens) {
                                 progress.count_tokens(static_cast<std::int64_t>(tokens));
                                 progress.advance(static_cast<std::int64_t>(more));
                             },
                         .stop = task.context.stop,
                         .windows = task.windows});
    }
    TRY_DO(model.classifier->classify(parts, texts, watch));
    for (std::size_t i = 0; i < tasks.size(); ++i) {
        tasks[i].tokens = parts[i].tokens;
        if (parts[i].classified) {
            tasks[i].done =
                take_all(std::move(tasks[i].source), *parts[i].classified, model, tasks[i].take);
        } else {
            tasks[i].done = fail(parts[i].classified.error());
        }
    }
    return {};
}

Result<void> score_by_model(TextSource source, LoadedModel& model, const BatchOptions& options,
                            RunContext& context, const TakeScores& take) {
    SharedTexts alone{
        .source = std::move(source), .context = context, .take = take, .windows = options.windows};
    auto scored = score_together(std::span(&alone, 1), model, options.texts,
                                 Watch{context.stop, &context.progress});
    return scored ? std::move(alone.done) : scored;
}

}  // namespace plimsoll::jobs::sentiment
