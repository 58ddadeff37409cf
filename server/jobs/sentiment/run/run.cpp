#include "engine/models/store.hpp"
#include "engine/sentiment/vader/vader.hpp"
#include "server/base/gzip.hpp"
#include "server/jobs/kind.hpp"
#include "server/jobs/records/dataset.hpp"
#include "server/jobs/records/text_rows.hpp"
#include "server/jobs/records/text_source.hpp"
#include "server/jobs/sentiment/contract/models.hpp"
#include "server/jobs/sentiment/contract/settings.hpp"
#include "server/jobs/sentiment/contract/texts.hpp"
#include "server/jobs/sentiment/run/aggregate.hpp"
#include "server/jobs/sentiment/run/loaded_models.hpp"
#include "server/jobs/sentiment/run/rows.hpp"
#include "server/jobs/sentiment/run/score_by_model.hpp"
#include "server/jobs/sentiment/run/vader_scores.hpp"

#include <nlohmann/json.hpp>

namespace plimsoll::jobs::sentiment {
namespace {

using nlohmann::json;

// Between two looks at the stop token: well below a millisecond of short texts, and a few
// milliseconds of the longest ones.
constexpr std::int64_t kItemsPerBeat = 64;

// What a task answers, item by item.
class Answer {
  public:
    void add(const text::RecordView& item, const TextScores* scores) {
        if (scores == nullptr) {
            append_failed_text(rows_, kTexts, item);
            aggregate_.add_failed(item);
            ++output_.items_failed;
            return;
        }
        append_row(rows_, item, *scores);
        aggregate_.add(item, *scores);
        ++output_.items_ok;
    }

    TaskOutput finish() {
        output_.results = gzip(rows_);
        output_.partial = aggregate_.to_json();
        return std::move(output_);
    }

  private:
    std::string rows_;
    Aggregate aggregate_;
    TaskOutput output_;
};

Result<void> score_by_vader(TextSource source, RunContext& context, Answer& answer) {
    ::plimsoll::sentiment::vader::Scorer scorer;
    std::int64_t unreported = 0;
    while (true) {
        const auto record = source.next();
        if (!record) return fail(record.error());
        if (!*record) break;
        const text::RecordView& item = **record;
        if (item.is_error) {
            answer.add(item, nullptr);
        } else {
            const auto scores = scores_of(scorer.score(item.text));
            answer.add(item, &scores);
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
    return {};
}

Result<void> score_by(const json& args, TextSource source, RunContext& context, Answer& answer) {
    const auto model = args.value("model", std::string(kVader));
    if (model == kVader) return score_by_vader(std::move(source), context, answer);
    const auto loaded = loaded_model(model, args.value("model_hash", ""), context);
    if (!loaded) return fail(loaded.error());
    const auto texts = args.value("batch_size", most_texts(context.settings));
    return score_by_model(
        std::move(source), **loaded, texts, context,
        [&](const text::RecordView& item, const TextScores* scores) { answer.add(item, scores); });
}

Result<TaskOutput> score(std::string_view args, std::string_view input, RunContext& context) {
    const auto block = gunzip(input, kLargestBlock);
    if (!block) return fail(block.error());
    auto source = TextSource::open(kTexts, args, *block);
    if (!source) return fail(source.error());
    context.progress.set_total(source->count());
    Answer answer;
    if (auto done = score_by(json::parse(args), std::move(*source), context, answer); !done) {
        return fail(done.error());
    }
    return answer.finish();
}

Result<Merged> merge(std::string_view args, std::span<const std::string> partials) {
    Aggregate all;
    for (const std::string& partial : partials) {
        const auto one = Aggregate::from_json(partial);
        if (!one) return fail(one.error());
        all.add(*one);
    }
    const auto asked = json::parse(args);
    return Merged{all.summary(asked.value("model", kVader), asked.value("model_hash", "")), {}};
}

// The models that this machine has and whose labels tell a sentiment.
Abilities abilities(const KindSettings& settings, bool device) {
    if (!device) return {};
    auto models = models::Store(models_folder(settings)).list();
    std::erase_if(models, [](const Manifest& model) {
        return !::plimsoll::sentiment::Meaning::of(model.labels);
    });
    Abilities can;
    for (const auto& model : models) can.names.push_back(capability_of(model.name, model.hash));
    can.offer = offer_of(models).dump();
    return can;
}

}  // namespace

constinit extern const Run kRun{.name = kName,
                                .version = kVersion,
                                .run = score,
                                .merge = merge,
                                .release = release_models,
                                .settings = kSettings,
                                .abilities = abilities};

}  // namespace plimsoll::jobs::sentiment
