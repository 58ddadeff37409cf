#include "server/kinds/sentiment/run/score_by_vader.hpp"

namespace plimsoll::jobs::sentiment {
namespace {

// Texts between two checks of the stop token: well below a millisecond for short ones, a few
// milliseconds for the longest.
constexpr std::int64_t kItemsPerBeat = 64;

}  // namespace

TextScores scores_of(const ::plimsoll::sentiment::vader::Scores& scores) {
    return {.label = label_of(scores.compound),
            .compound = scaled(scores.compound),
            .positive = scaled(scores.pos),
            .neutral = scaled(scores.neu),
            .negative = scaled(scores.neg)};
}

Result<void> score_by_vader(TextSource source, RunContext& context, const TakeScores& take) {
    ::plimsoll::sentiment::vader::Scorer scorer;
    std::int64_t unreported = 0;
    while (true) {
        TRY(const auto record, source.next());
        if (!record) break;
        const text::RecordView& item = *record;
        if (item.is_error) {
            take(item, nullptr);
        } else {
            const auto scores = scores_of(scorer.score(item.text));
            take(item, &scores);
        }
        if (++unreported == kItemsPerBeat) {
            context.progress.advance(unreported);
            unreported = 0;
            if (context.stop.stop_requested())
                return fail(Errc::cancelled, "The task was stopped.");
        }
    }
    context.progress.advance(unreported);
    return {};
}

}  // namespace plimsoll::jobs::sentiment
