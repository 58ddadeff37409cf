#include "server/kinds/profile/run/models.hpp"

#include "engine/models/store.hpp"
#include "engine/sentiment/vader/vader.hpp"
#include "engine/transformer/guard.hpp"
#include "server/jobs/records/models_folder.hpp"

#include <algorithm>
#include <array>
#include <memory>
#include <optional>
#include <random>
#include <string_view>
#include <vector>

namespace plimsoll::jobs::profile {
namespace {

namespace vader = ::plimsoll::sentiment::vader;

struct Length {
    const char* name;
    std::int64_t words;
};

// A headline, a paragraph, an article's beginning.
constexpr std::array kLengths = {Length{"short", 10}, Length{"medium", 60}, Length{"long", 250}};

// From news about companies: about one in four words has a sentiment, as in headlines.
constexpr std::array<std::string_view, 32> kWords = {
    "shares", "of",       "the",     "company",   "soar",   "after",   "record",    "profit",
    "while",  "analysts", "warn",    "about",     "weak",   "demand",  "in",        "Europe",
    "and",    "a",        "lawsuit", "threatens", "growth", "despite", "strong",    "orders",
    "for",    "new",      "ships",   "not",       "very",   "good",    "quarterly", "results"};

// Batches larger than this begin again with the first, which a published model would not compute
// again.
constexpr std::size_t kTexts = 1024;
// English, with the tokens around a text.
constexpr double kTokensPerWord = 1.4;
constexpr double kTokensPerText = 2;

std::vector<std::string> texts_of(std::int64_t words) {
    std::minstd_rand bits(static_cast<unsigned>(words));
    std::vector<std::string> texts(kTexts);
    for (auto& text : texts) {
        for (std::int64_t i = 0; i < words; ++i) {
            if (i > 0) text += ' ';
            text += kWords[bits() % kWords.size()];
        }
        text += bits() % 4 == 0 ? '!' : '.';
    }
    return texts;
}

profiling::Model vader_model() {
    profiling::Model model{
        .name = std::string(kVader), .type = "sentiment", .load = {}, .lengths = {}};
    const auto scorer = std::make_shared<std::optional<vader::Scorer>>();
    model.load = [scorer]() -> Result<void> {
        scorer->emplace().score("The first text finds the lexicon.");
        return {};
    };
    for (const auto& [name, words] : kLengths) {
        profiling::LengthBucket bucket{
            .name = name, .words = words, .largest_batch = {}, .run = {}, .memory_bytes = {}};
        const auto texts = std::make_shared<const std::vector<std::string>>(texts_of(words));
        // Each batch continues where the last one ended: repeating one text would give better
        // figures.
        bucket.run = [scorer, texts,
                      next = std::size_t{0}](std::int64_t batch) mutable -> Result<void> {
            for (std::int64_t i = 0; i < batch; ++i) {
                (*scorer)->score((*texts)[next++ % texts->size()]);
            }
            return {};
        };
        // One text after the other: a batch takes no more memory than a text.
        bucket.memory_bytes = [](std::int64_t) { return std::uint64_t{0}; };
        model.lengths.push_back(std::move(bucket));
    }
    return model;
}

// A model on the device of this worker.
class Published {
  public:
    Published(std::filesystem::path folder, routines::Method method, const RunContext& context)
        : folder_(std::move(folder)),
          method_(method),
          context_(context),
          programs_(*context.device, opencl::ProgramCache(context.settings.cache)),
          plans_(context.device->info()) {
        // Without tuned plans the defaults are measured, as jobs run them.
        static_cast<void>(plans_.read(
            tuning::plans_file(context.settings.cache, context.device->info().address)));
    }

    Result<void> load() {
        classifier_.reset();
        auto loaded = transformer::TextClassifier::load(
            folder_, programs_, *context_.ledger, *context_.capability, plans_, method_, watch());
        if (!loaded) return fail(loaded.error());
        classifier_ = std::move(*loaded);
        return {};
    }
    Result<void> run(const std::vector<std::string>& texts, std::size_t first, std::int64_t batch) {
        std::int64_t given = 0;
        std::string_view text;
        const auto next = [&]() -> Result<const std::string_view*> {
            if (given == batch) return nullptr;
            text = texts[(first + static_cast<std::size_t>(given++)) % texts.size()];
            return &text;
        };
        const auto scored = classifier_->classify(next, static_cast<std::size_t>(batch), watch(),
                                                  [](std::size_t, std::size_t) {});
        return scored ? Result<void>() : fail(scored.error());
    }
    std::int64_t largest_batch(std::int64_t words) const {
        const double tokens = kTokensPerWord * static_cast<double>(words) + kTokensPerText;
        const auto most = classifier_->model().capacity() - classifier_->model().longest();
        return std::max<std::int64_t>(
            1, static_cast<std::int64_t>(static_cast<double>(most) / tokens));
    }
    std::uint64_t held_bytes() const { return classifier_->model().held_bytes(); }

  private:
    Watch watch() const { return {context_.stop, &context_.progress}; }

    std::filesystem::path folder_;
    routines::Method method_;
    const RunContext& context_;
    opencl::Programs programs_;
    tuning::Plans plans_;
    std::unique_ptr<transformer::TextClassifier> classifier_;
};

Result<SentimentModel> published_model(const Request& request, const RunContext& context) {
    if (context.device == nullptr || context.ledger == nullptr || context.capability == nullptr) {
        return fail(Errc::unavailable, "This worker has no OpenCL device.");
    }
    const auto form = routines::parse_form(request.form);
    if (!form) return fail(Errc::internal, "A task requests an unknown form.");
    const models::Store store(models_folder(context.settings));
    const auto manifest = store.find(request.sentiment_model);
    if (!manifest || manifest->hash != request.model_hash) {
        return fail(
            Errc::not_found,
            "The model \"" + request.sentiment_model +
                "\" was removed from the workers, or replaced, after the job was submitted.");
    }
    // A form may be profiled before it is proven.
    const auto method = transformer::proven_method(manifest->proofs, *form, *context.capability)
                            .value_or(method_for(*context.capability, *form));
    const auto published =
        std::make_shared<Published>(store.folder_of(manifest->name), method, context);
    SentimentModel model{.model = {.name = manifest->name,
                                   .type = "sentiment",
                                   .load = [published] { return published->load(); },
                                   .lengths = {}},
                         .held_bytes = [published] { return published->held_bytes(); }};
    for (const auto& [name, words] : kLengths) {
        const auto texts = std::make_shared<const std::vector<std::string>>(texts_of(words));
        model.model.lengths.push_back(
            {.name = name,
             .words = words,
             .largest_batch = [published, words] { return published->largest_batch(words); },
             .run =
                 [published, texts, next = std::size_t{0}](std::int64_t batch) mutable {
                     auto done = published->run(*texts, next, batch);
                     next += static_cast<std::size_t>(batch);
                     return done;
                 },
             // Everything that a batch needs was allocated with the model.
             .memory_bytes = [](std::int64_t) { return std::uint64_t{0}; }});
    }
    return model;
}

}  // namespace

Result<SentimentModel> sentiment_model(const Request& request, const RunContext& context) {
    if (request.model_hash.empty()) return SentimentModel{vader_model(), {}};
    return published_model(request, context);
}

}  // namespace plimsoll::jobs::profile
