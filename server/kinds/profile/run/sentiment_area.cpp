#include "engine/models/store.hpp"
#include "engine/profiling/model_profile.hpp"
#include "engine/sentiment/vader/vader.hpp"
#include "engine/transformer/guard.hpp"
#include "server/base/time.hpp"
#include "server/jobs/records/model_requirement.hpp"
#include "server/kinds/profile/contract/request.hpp"
#include "server/kinds/profile/run/figures.hpp"
#include "server/kinds/profile/run/system.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdio>
#include <functional>
#include <memory>
#include <optional>
#include <random>
#include <string_view>
#include <utility>
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
            for (std::int64_t i = 0; i < batch; ++i)
                (*scorer)->score((*texts)[next++ % texts->size()]);
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
        TRY(classifier_,
            transformer::TextClassifier::load(folder_, programs_, *context_.ledger,
                                              *context_.capability, plans_, method_, watch()));
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
        const auto max = classifier_->model().capacity() - classifier_->model().longest();
        return std::max<std::int64_t>(1,
                                      static_cast<std::int64_t>(static_cast<double>(max) / tokens));
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
    if (context.device == nullptr || context.ledger == nullptr || context.capability == nullptr)
        return fail(Errc::unavailable, "This worker has no OpenCL device.");
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

class SentimentArea final : public Area {
  public:
    SentimentArea(const Request& request, const RunContext& context, Watch watch)
        : request_(request),
          context_(context),
          limits_(limits_of(request)),
          watch_(std::move(watch)) {}

    Result<PartResult> measure(std::string_view part) override {
        TRY_DO(load());
        const auto& lengths = model_->model.lengths;
        const auto length = std::ranges::find(lengths, part, &profiling::LengthBucket::name);
        if (length == lengths.end())
            return fail(Errc::corrupt, "Unknown text length.", std::string(part));
        TRY(const auto search, measure_length(*length, request_.batch_sizes, limits_, {}, watch_));
        auto curve = curve_json(search, length->name, "texts", {});
        curve["words"] = length->words;
        PartResult result{curve_row(curve)};
        if (curves_.empty()) first_ = search.points.front();
        curves_.push_back(std::move(curve));
        return result;
    }

    // An entry of the guide's `results`: its keys first, its batch_results of the first length.
    Json report() const override {
        if (curves_.empty()) return nullptr;
        const Json& first = curves_.front();
        return {{"model_name", model_->model.name},
                {"model_type", model_->model.type},
                {"model_hash", text_or_null(request_.model_hash)},
                {"form", text_or_null(request_.form)},
                {"timestamp", to_rfc3339(SystemClock().now())},
                {"load_time_ms", load_->first_seconds * 1e3},
                {"warm_load_time_ms", load_->again.median * 1e3},
                {"inference_time_ms", first_.timing.median * 1e3},
                {"items_per_second", first_.items_per_second()},
                {"vram_used_mb", on_device_ / 1e6},
                {"vram_total_mb", uses_device() ? device_memory(*context_.device) / 1e6 : 0.0},
                {"predicted_vram_mb",
                 uses_device() ? static_cast<double>(model_->held_bytes()) / 1e6 : 0.0},
                {"host_memory_mb", on_host_ / 1e6},
                {"batch_results", first.at("points")},
                {"notes", note_of(first)},
                {"recommended_batch", first.at("recommended_batch")},
                {"lengths", curves_}};
    }

  private:
    // As the guide words it, then why the batch is recommended.
    static std::string note_of(const Json& curve) {
        const auto& points = curve.at("points");
        const auto& best = *std::ranges::max_element(
            points, {}, [](const Json& point) { return point.at("speedup_vs_1").get<double>(); });
        char text[80];
        std::snprintf(text, sizeof text, "Best speedup: %.2fx at batch_size=%lld. ",
                      best.at("speedup_vs_1").get<double>(),
                      best.at("batch_size").get<long long>());
        return text + curve.at("reason").get<std::string>();
    }
    static Json text_or_null(const std::string& text) { return text.empty() ? Json() : Json(text); }
    bool uses_device() const { return model_ && model_->held_bytes != nullptr; }

    // Measures what loading adds to the memory in use: allocations of others on the device count,
    // too, if the driver does not report memory by process.
    Result<void> load() {
        if (load_) return {};
        const double host = resident_bytes();
        TRY(auto model, sentiment_model(request_, context_));
        const bool on_device = model.held_bytes != nullptr;
        const double device = on_device ? memory_in_use(*context_.device) : 0;
        TRY(auto times, measure_load(model.model, {}, watch_));
        on_host_ = std::max(0.0, resident_bytes() - host);
        if (on_device) on_device_ = std::max(0.0, memory_in_use(*context_.device) - device);
        model_ = std::move(model);
        load_ = times;
        return {};
    }

    Request request_;
    const RunContext& context_;
    profiling::BatchLimits limits_;
    Watch watch_;
    std::optional<SentimentModel> model_;
    std::optional<profiling::LoadTimes> load_;
    profiling::BatchPoint first_;
    double on_host_ = 0;  // bytes
    double on_device_ = 0;
    Json curves_ = Json::array();
};

// Of a job whose task nobody could run.
class NoSentiment final : public Area {
  public:
    Result<PartResult> measure(std::string_view /*part*/) override {
        return fail(Errc::internal, "No model is measured.");
    }
    Json report() const override { return nullptr; }
};

}  // namespace

Result<SentimentModel> sentiment_model(const Request& request, const RunContext& context) {
    if (request.model_hash.empty()) return SentimentModel{vader_model(), {}};
    return published_model(request, context);
}

std::unique_ptr<Area> sentiment_area(const Request& request, const RunContext& context,
                                     Watch watch) {
    return std::make_unique<SentimentArea>(request, context, std::move(watch));
}

std::unique_ptr<Area> no_sentiment_area() { return std::make_unique<NoSentiment>(); }

}  // namespace plimsoll::jobs::profile
