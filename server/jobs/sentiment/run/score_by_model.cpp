#include "server/jobs/sentiment/run/score_by_model.hpp"

#include <algorithm>
#include <cmath>

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
            .duplicate = text.duplicate};
}

// The texts of a source, one by one; items that are errors count as done.
class Texts {
  public:
    Texts(TextSource& source, Progress& progress) : source_(source), progress_(progress) {}

    Result<const std::string_view*> next() {
        while (true) {
            const auto record = source_.next();
            if (!record) return fail(record.error());
            if (!*record) return nullptr;
            if ((*record)->is_error) {
                progress_.advance(1);
                continue;
            }
            text_ = (*record)->text;
            return &text_;
        }
    }

  private:
    TextSource& source_;
    Progress& progress_;
    std::string_view text_;
};

}  // namespace

Result<void> score_by_model(TextSource source, LoadedModel& model, std::size_t texts,
                            RunContext& context, const TakeScores& take) {
    // Read twice: rows need what a text is when its score is there.
    TextSource again = source;
    Texts reader(source, context.progress);
    const auto classified = model.classifier->classify(
        [&] { return reader.next(); }, texts, Watch{context.stop, &context.progress},
        [&](std::size_t done) { context.progress.advance(static_cast<std::int64_t>(done)); });
    if (!classified) return fail(classified.error());
    for (auto text = classified->begin();;) {
        const auto record = again.next();
        if (!record) return fail(record.error());
        if (!*record) return {};
        if ((*record)->is_error) {
            take(**record, nullptr);
            continue;
        }
        const auto scores = scores_of(*text++, model);
        take(**record, &scores);
    }
}

}  // namespace plimsoll::jobs::sentiment
