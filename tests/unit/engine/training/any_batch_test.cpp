// The largest batch of a run is one answer, whatever batch the request asks about, on one card and
// on one of several; the run itself, asked about that batch, stays within the limit.
#include "engine/training/advice/report.hpp"
#include "engine/training/gpus/catalogue.hpp"
#include "engine/training/models/presets.hpp"

#include <array>
#include <cstdlib>
#include <random>

#include <gtest/gtest.h>

namespace plimsoll::training {
namespace {

class AnyRuns {
    template <class List>
    auto one_of(const List& list) {
        return list[std::uniform_int_distribution<std::size_t>(0, std::size(list) - 1)(engine_)];
    }
    bool one_in(int n) { return std::uniform_int_distribution<int>(1, n)(engine_) == 1; }

    std::mt19937 engine_{20261126};

  public:
    std::int64_t up_to(std::int64_t max) {
        return std::uniform_int_distribution<std::int64_t>(1, max)(engine_);
    }
    // Any run that the settings' check accepts.
    ReportRequest next() {
        for (;;) {
            ReportRequest r;
            r.shape = *preset(one_of(std::array{"bert-base", "bert-large", "gpt2", "llama-1b",
                                                "llama-3.2-1b", "qwen3-0.6b", "gemma-3-1b",
                                                "modernbert-base", "t5-small", "vit-base"}));
            auto& t = r.settings;
            t.sharding = one_of(std::array{Sharding::none, Sharding::ddp, Sharding::zero1,
                                           Sharding::zero2, Sharding::zero3, Sharding::fsdp});
            t.cards = t.sharding == Sharding::none ? 1 : one_of(std::array{2, 3, 8, 64});
            if (one_in(4)) t.offload = one_of(std::array{Offload::optimizer, Offload::parameters});
            t.precision = one_of(std::array{Precision::fp32, Precision::bf16_autocast,
                                            Precision::fp16_autocast, Precision::bf16});
            t.kernel = one_of(std::array{OptimizerKernel::foreach, OptimizerKernel::fused});
            t.checkpointing = one_in(2);
            if (one_in(3)) t.lora.rank = 8;
            if (one_in(4)) t.accumulation = 4;
            t.sequence = one_of(std::array{64, 128, 300, 512});
            if (r.shape.sample_length() > 0) t.sequence = r.shape.sample_length();
            r.goal = one_of(std::array{Goal::batch, Goal::fill, Goal::knee});
            r.target_effective_batch = one_of(std::array{1, 16, 100, 256, 4096, 100'000});
            r.search.safety = one_of(std::array{0.5, 0.85});
            r.gpus = {*GpuCatalogue().find(
                one_of(std::array{"t4", "rtx_4090", "a100_40gb", "a100_80gb", "h200"}))};
            r.what_ifs = r.curves = false;
            if (check_settings(r.shape, t)) return r;
        }
    }
};

GpuReport card_of(const ReportRequest& request) {
    auto report = make_report(request);
    EXPECT_TRUE(report) << report.error().message;
    return report->gpus.front();
}

std::string words_of(const ReportRequest& r) {
    return r.shape.name + ", sharding " + std::to_string(static_cast<int>(r.settings.sharding)) +
           " over " + std::to_string(r.settings.cards) + ", precision " +
           std::to_string(static_cast<int>(r.settings.precision)) + ", target " +
           std::to_string(r.target_effective_batch) + ", on " + r.gpus.front().id;
}

// 500 runs with PLIMSOLL_LONG_TESTS.
TEST(AnyBatch, GivesOneLargestBatchWhoseOwnTotalFits) {
    const int wanted = std::getenv("PLIMSOLL_LONG_TESTS") != nullptr ? 500 : 40;
    AnyRuns runs;
    for (int done = 0; done < wanted;) {
        auto request = runs.next();
        const auto free = card_of(request);
        const auto largest = free.limits.max_batch;
        if (free.reason != BatchReason::nothing_fits) {
            EXPECT_LE(free.batch, largest) << words_of(request);
            EXPECT_LE(free.reserved, free.limits.limit_bytes) << words_of(request);
        }
        for (const auto batch : {std::int64_t{1}, runs.up_to(2 * largest + 8), largest + 1}) {
            request.batch = batch;
            EXPECT_EQ(card_of(request).limits.max_batch, largest)
                << words_of(request) << ", asked with " << batch;
        }
        if (largest == 0) continue;
        ++done;
        request.batch = largest;
        const auto at_largest = card_of(request);
        EXPECT_EQ(at_largest.limits.max_batch, largest) << words_of(request);
        EXPECT_LE(at_largest.reserved, at_largest.limits.limit_bytes)
            << words_of(request) << ", largest " << largest;
    }
}

}  // namespace
}  // namespace plimsoll::training
