#include "engine/waves/report/scan.hpp"
#include "tests/unit/engine/waves/random_series.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace plimsoll::waves::testing {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;

// A device that is as fast as it says and searches on the processor, until it breaks.
class FakeDevice : public SearchDevice {
  public:
    Result<Forecast> told = Forecast{1, 2};
    int good_calls = 1'000;
    int calls = 0;
    Work asked;

    std::string name() const override { return "opencl:fake:0"; }
    Result<std::vector<SearchResult>> search(std::span<const SearchInput> inputs,
                                             const Settings& settings, std::size_t keep,
                                             const Watch& watch) override {
        if (++calls > good_calls) return fail(Errc::exhausted, "Out of memory.");
        std::vector<SearchResult> results;
        for (const SearchInput& it : inputs)
            results.push_back(
                waves::search(*it.table, *it.itinerary, settings, keep, watch).value());
        return results;
    }
    Result<std::vector<std::array<double, kKinds>>> best_scores(std::span<const SearchInput> inputs,
                                                                const Settings& settings,
                                                                const Watch& watch) override {
        if (++calls > good_calls) return fail(Errc::exhausted, "Out of memory.");
        std::vector<std::array<double, kKinds>> scores;
        for (const SearchInput& it : inputs) {
            BarTable table;
            table.build(it.lows, it.highs);
            scores.push_back(waves::best_scores(table, *it.itinerary, settings, watch));
        }
        return scores;
    }
    Result<Forecast> forecast(const Work& work, const Settings&) override {
        asked = work;
        return told;
    }
};

SymbolReport scanned(UseGpu use_gpu, SearchDevice* device, int threads = 1, int surrogates = 0) {
    Settings settings;
    settings.use_gpu = use_gpu;
    settings.threads = threads;
    settings.surrogates = surrogates;
    std::vector<SymbolPrices> symbols(1);
    symbols[0].series = random_series(1, 500);
    Progress progress;
    auto reports = scan(std::move(symbols), settings, progress, {},
                        {device, "This worker has no OpenCL device."});
    EXPECT_EQ(progress.done(), 1);
    return std::move(reports.value().front());
}

TEST(DeviceChoice, FollowsTheForecast) {
    FakeDevice device;
    auto report = scanned(UseGpu::automatic, &device);
    EXPECT_EQ(report.computed_by, "opencl:fake:0");
    EXPECT_EQ(report.computed_why,
              "Predicted: 1 s on opencl:fake:0, 2 s on the processor's 1 core.");
    EXPECT_EQ(device.asked.counted, 1000);  // starts, in both directions
    report = scanned(UseGpu::automatic, &device, 2);
    EXPECT_EQ(report.computed_by, "processor");
    EXPECT_EQ(report.computed_why,
              "Predicted: 1 s on opencl:fake:0, 1 s on the processor's 2 cores.");
}

TEST(DeviceChoice, FollowsTheRequest) {
    FakeDevice device;
    device.told = Forecast{100, 1};
    EXPECT_EQ(scanned(UseGpu::always, &device).computed_by, "opencl:fake:0");
    device.told = Forecast{1, 100};
    const auto report = scanned(UseGpu::never, &device);
    EXPECT_EQ(report.computed_by, "processor");
    EXPECT_THAT(report.computed_why, IsEmpty());
}

TEST(DeviceChoice, SaysWhyThereIsNoDevice) {
    EXPECT_EQ(scanned(UseGpu::always, nullptr).computed_why, "This worker has no OpenCL device.");
    EXPECT_THAT(scanned(UseGpu::automatic, nullptr).computed_why, IsEmpty());
    FakeDevice device;
    device.told = fail(Errc::unavailable, "The device does not support double precision.");
    const auto report = scanned(UseGpu::always, &device);
    EXPECT_EQ(report.computed_by, "processor");
    EXPECT_THAT(report.computed_why, HasSubstr("The device does not support double precision."));
}

TEST(DeviceChoice, TheProcessorFinishesWhatADeviceCannot) {
    for (const int good_calls : {0, 1}) {
        FakeDevice device;
        device.good_calls = good_calls;
        const auto report = scanned(UseGpu::always, &device, 1, 20);
        const auto expected = scanned(UseGpu::never, nullptr, 1, 20);
        EXPECT_EQ(report.computed_by, good_calls == 0 ? "processor" : "opencl:fake:0");
        EXPECT_THAT(report.computed_why, HasSubstr("Out of memory."));
        ASSERT_EQ(report.counts.size(), expected.counts.size());
        EXPECT_EQ(report.counts.front().chance->k, expected.counts.front().chance->k);
        EXPECT_EQ(report.chance_best, expected.chance_best);
    }
}

}  // namespace
}  // namespace plimsoll::waves::testing
