// Batches below the largest that do not fit, held against estimates of every batch.
#include "engine/training/advice/report.hpp"
#include "engine/training/gpus/catalogue.hpp"
#include "engine/training/models/presets.hpp"

#include <array>
#include <cstdlib>
#include <random>

#include <gtest/gtest.h>

namespace plimsoll::training {
namespace {

struct DrawnRun {
    ModelShape shape;
    TrainingSettings settings;
    GpuProfile gpu;
    SearchOptions search;
};

class RandomRuns {
    template <class List>
    auto one_of(const List& list) {
        return list[std::uniform_int_distribution<std::size_t>(0, std::size(list) - 1)(engine_)];
    }
    bool one_in(int n) { return std::uniform_int_distribution<int>(1, n)(engine_) == 1; }

    std::mt19937 engine_{20261125};

  public:
    // Any run that the settings' check accepts.
    DrawnRun next() {
        for (;;) {
            DrawnRun r;
            r.shape = *preset(one_of(std::array{
                "bert-base", "bert-large", "distilbert", "minilm-l6", "gpt2", "gpt2-medium",
                "llama-1b", "llama-3.2-1b", "qwen3-0.6b", "gemma-3-1b", "modernbert-base",
                "deberta-v3-base", "vit-base", "t5-small", "naics-4ch", "temporal", "lstm"}));
            auto& t = r.settings;
            t.precision = one_of(std::array{Precision::fp32, Precision::bf16_autocast,
                                            Precision::fp16_autocast, Precision::bf16});
            t.optimizer = one_of(std::array{Optimizer::adamw, Optimizer::sgd, Optimizer::adafactor,
                                            Optimizer::adam_8bit});
            t.kernel = one_of(std::array{OptimizerKernel::foreach, OptimizerKernel::fused});
            t.attention = one_of(std::array{Attention::sdpa, Attention::eager});
            t.checkpointing = one_in(2);
            t.accumulation = one_in(2) ? 2 : 1;
            t.padded = one_in(4);
            t.sequence = one_of(std::array{64, 100, 128, 256, 300, 512, 1024});
            if (r.shape.sample_length() > 0) t.sequence = r.shape.sample_length();
            if (one_in(3)) t.lora.rank = 8;
            if (r.shape.family == Family::naics) t.negatives = one_of(std::array{0, 4, 8});
            r.search.estimate.allocator.expandable_segments = one_in(6);
            r.search.safety = one_of(std::array{0.2, 0.4, 0.6, 0.85});
            r.gpu = *GpuCatalogue().find(one_of(std::array{"t4", "rtx_3060", "rtx_4090", "h200"}));
            if (check_settings(r.shape, t)) return r;
        }
    }
};

std::vector<std::int64_t> oom_batches_by_force(const DrawnRun& run, const BatchLimits& limits) {
    std::vector<std::int64_t> out;
    auto settings = run.settings;
    for (settings.batch = 1; settings.batch < limits.max_batch; ++settings.batch) {
        const auto e = estimate(run.shape, settings, tape_device(run.gpu), run.search.estimate);
        if (e->peak_reserved > limits.limit_bytes) out.push_back(settings.batch);
    }
    return out;
}

// Whose largest batches have exceptions below them.
DrawnRun checkpointed_on(const char* gpu) {
    DrawnRun run;
    run.shape = *preset("bert-large");
    run.gpu = *GpuCatalogue().find(gpu);
    run.settings.checkpointing = true;
    run.settings.precision = Precision::fp16_autocast;
    run.settings.accumulation = 2;
    return run;
}

// Hundreds of runs with PLIMSOLL_LONG_TESTS.
TEST(OomBatches, AreAllBatchesBelowTheLargestThatDoNotFit) {
    const bool in_full = std::getenv("PLIMSOLL_LONG_TESTS") != nullptr;
    const std::size_t wanted = in_full ? 400 : 16;
    const std::int64_t max = in_full ? 500 : 200;
    const std::array known = {checkpointed_on("t4"), checkpointed_on("rtx_3060")};
    RandomRuns random;
    std::size_t named = 0;
    for (std::size_t i = 0; i < wanted;) {
        const auto run = i < known.size() ? known[i] : random.next();
        const auto device = tape_device(run.gpu);
        RunTapes tapes(run.shape, run.settings, device);
        ReservedPeaks peaks;
        FootprintByBatch footprints(tapes, device, run.search.estimate, peaks);
        const auto limits = *find_batch(run.gpu, run.search, footprints);
        if (i >= known.size() && (limits.max_batch < 3 || limits.max_batch > max)) continue;
        ++i;
        const auto found = oom_batches_below(limits.max_batch, limits, run.search, footprints);
        EXPECT_EQ(found.batches, oom_batches_by_force(run, limits))
            << run.shape.name << ", precision " << static_cast<int>(run.settings.precision)
            << ", checkpointing " << run.settings.checkpointing << ", " << run.settings.sequence
            << " tokens, optimizer " << static_cast<int>(run.settings.optimizer) << ", on "
            << run.gpu.id << " at " << run.search.safety << ", largest " << limits.max_batch;
        named += found.batches.size();
    }
    EXPECT_GT(named, 0U) << "nothing was tested";
}

ReportRequest checkpointed() {
    ReportRequest r;
    r.shape = *preset("bert-large");
    r.settings.checkpointing = true;
    r.settings.precision = Precision::fp16_autocast;
    for (const auto* gpu : {"t4", "rtx_3060", "rtx_4090"})
        r.gpus.push_back(*GpuCatalogue().find(gpu));
    r.what_ifs = false;
    r.target_effective_batch = 100'000;  // so that the largest batch counts
    return r;
}

TEST(OomBatches, ComparisonsReplayOnlyAFew) {
    auto r = checkpointed();
    const auto compared = *make_report(r);
    r.compared = 1;
    const auto alone = *make_report(r);
    for (std::size_t i = 0; i < r.gpus.size(); ++i) {
        const auto largest = compared.gpus[i].limits.max_batch;
        EXPECT_EQ(alone.gpus[i].limits.max_batch, largest);
        EXPECT_EQ(compared.gpus[i].oom_batches.replayed_from, largest - 8);
        EXPECT_LT(alone.gpus[i].oom_batches.replayed_from, largest - 8);
    }
}

// On any card between, whose largest batch has exceptions below it.
TEST(OomBatches, AreNeverRecommended) {
    auto r = checkpointed();
    r.curves = false;
    for (const auto goal : {Goal::fill, Goal::knee})
        for (double safety = 0.5; safety < 0.86; safety += 0.05) {
            r.goal = goal;
            r.search.safety = safety;
            for (const auto& card : make_report(r)->gpus)
                if (card.reason != BatchReason::nothing_fits)
                    EXPECT_LE(card.reserved, card.limits.limit_bytes)
                        << card.gpu.id << " at " << safety << ", batch " << card.batch;
        }
}

}  // namespace
}  // namespace plimsoll::training
