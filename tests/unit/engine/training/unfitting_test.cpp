// Batches below the largest that do not fit, held against estimates of each.
#include "engine/training/advice/report.hpp"
#include "engine/training/gpus/catalogue.hpp"
#include "engine/training/models/presets.hpp"

#include <gtest/gtest.h>

namespace plimsoll::training {
namespace {

TEST(Unfitting, AreTheBatchesBelowTheLargestThatDoNotFit) {
    std::size_t named = 0;
    for (const auto* gpu : {"t4", "rtx_3060", "rtx_4090"}) {
        ReportRequest r;
        r.shape = *preset("bert-large");
        r.settings.checkpointing = true;
        r.settings.precision = Precision::fp16_autocast;
        r.gpus = {*GpuCatalogue().find(gpu)};
        r.what_ifs = false;
        r.target_effective_batch = 100'000;  // so that gradients persist
        const auto card = make_report(r)->gpus.front();
        const auto largest = card.limits.max_batch;
        ASSERT_GT(largest, kExamined);
        auto settings = r.settings;
        settings.accumulation = 2;
        std::vector<std::int64_t> expected;
        for (auto batch = largest - kExamined; batch < largest; ++batch) {
            settings.batch = batch;
            const auto e = estimate(r.shape, settings, tape_device(card.gpu));
            if (e->peak_reserved > card.limits.limit_bytes) expected.push_back(batch);
        }
        EXPECT_EQ(card.unfitting, expected) << gpu;
        named += expected.size();
    }
    EXPECT_GT(named, 0U) << "nothing was tested";
}

}  // namespace
}  // namespace plimsoll::training
