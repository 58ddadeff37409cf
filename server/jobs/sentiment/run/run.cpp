#include "engine/sentiment/vader/vader.hpp"
#include "server/base/gzip.hpp"
#include "server/jobs/kind.hpp"
#include "server/jobs/records/dataset.hpp"
#include "server/jobs/records/text_rows.hpp"
#include "server/jobs/records/text_source.hpp"
#include "server/jobs/sentiment/contract/texts.hpp"
#include "server/jobs/sentiment/run/aggregate.hpp"
#include "server/jobs/sentiment/run/rows.hpp"

#include <cmath>

namespace plimsoll::jobs::sentiment {
namespace {

// Between two looks at the stop token: well below a millisecond of short texts, and a few
// milliseconds of the longest ones.
constexpr std::int64_t kItemsPerBeat = 64;

Result<TaskOutput> score(std::string_view args, std::string_view input, RunContext& context) {
    const auto block = gunzip(input, kLargestBlock);
    if (!block) return fail(block.error());
    auto source = TextSource::open(kTexts, args, *block);
    if (!source) return fail(source.error());

    ::plimsoll::sentiment::vader::Scorer scorer;
    Aggregate aggregate;
    TaskOutput output;
    std::string rows;
    std::int64_t unreported = 0;
    context.progress.set_total(source->count());
    while (true) {
        const auto record = source->next();
        if (!record) return fail(record.error());
        if (!*record) break;
        const text::RecordView& item = **record;
        if (item.is_error) {
            append_failed_text(rows, kTexts, item);
            aggregate.add_failed(item);
            ++output.items_failed;
        } else {
            const auto scores = scorer.score(item.text);
            const std::int64_t compound = std::llround(scores.compound * kCompoundScale);
            append_row(rows, item, scores, compound);
            aggregate.add(item, compound);
            ++output.items_ok;
        }
        if (++unreported == kItemsPerBeat) {
            context.progress.advance(unreported);
            unreported = 0;
            if (context.stop.stop_requested()) {
                return fail(Errc::cancelled, "The task was asked to stop.");
            }
        }
    }
    context.progress.advance(unreported);
    output.results = gzip(rows);
    output.partial = aggregate.to_json();
    return output;
}

Result<Merged> merge(std::string_view /*args*/, std::span<const std::string> partials) {
    Aggregate all;
    for (const std::string& partial : partials) {
        const auto one = Aggregate::from_json(partial);
        if (!one) return fail(one.error());
        all.add(*one);
    }
    return Merged{all.summary(kVader), {}};
}

}  // namespace

constinit extern const Run kRun{.name = kName, .version = kVersion, .run = score, .merge = merge};

}  // namespace plimsoll::jobs::sentiment
