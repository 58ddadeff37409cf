#include "engine/opencl/devices/processor.hpp"
#include "engine/tuning/gemm_plans.hpp"
#include "engine/tuning/tune.hpp"
#include "tests/unit/engine/routines/on_device.hpp"

#include <algorithm>
#include <fstream>
#include <string>

namespace plimsoll::tuning {
namespace {

using routines::GemmPlan;
using routines::Method;
using routines::need;
using routines::programs;

const auto* const kCache = testing::AddGlobalTestEnvironment(new opencl::KernelCache);

opencl::DeviceInfo device(const std::string& driver) {
    opencl::DeviceInfo info;
    info.name = "a device";
    info.driver_version = driver;
    info.compute_units = 4;
    return info;
}

const GemmPlan kOther{Method::block_fp32, 12, 2, 384, 8, 4};

TEST(Plans, BucketsHoldAboutAsManyRows) {
    EXPECT_EQ(bucket_of(Method::block_fp32, 1, 768, 768).m, 32U);
    EXPECT_EQ(bucket_of(Method::block_fp32, 64, 768, 768).m, 64U);
    EXPECT_EQ(bucket_of(Method::block_fp32, 65, 768, 768).m, 128U);
    EXPECT_EQ(bucket_of(Method::block_fp32, 9000, 768, 768).m, 1024U);
}

TEST(Plans, AreDefaultsUntilTuned) {
    Plans plans(device("1"));
    const auto bucket = bucket_of(Method::block_fp32, 64, 768, 768);
    EXPECT_EQ(plans.plan_for(bucket), default_plan(Method::block_fp32, 4, 64, 768));
    plans.keep(bucket, kOther);
    EXPECT_EQ(plans.plan_for(bucket), kOther);
    EXPECT_NE(plans.plan_for(bucket_of(Method::block_fp32, 64, 768, 3072)), kOther);
}

TEST(Plans, AFileIsBoundToItsDeviceAndDriver) {
    const opencl::TemporaryFolder folder;
    const auto file = folder.path() / "plans.json";
    const auto bucket = bucket_of(Method::block_fp32, 64, 768, 768);
    Plans written(device("1"));
    EXPECT_EQ(written.read(file).error().code, Errc::not_found);
    written.keep(bucket, kOther);
    written.keep(bucket_of(Method::group_mma, 1, 2, 3), {.method = Method::group_mma});
    need(written.write(file));
    Plans same(device("1"));
    need(same.read(file));
    EXPECT_EQ(same.plan_for(bucket), kOther);
    EXPECT_EQ(same.size(), 2U);
    Plans newer(device("2"));
    EXPECT_EQ(newer.read(file).error().code, Errc::corrupt);
    EXPECT_EQ(newer.size(), 0U);
    EXPECT_EQ(written.write(folder.path() / "no folder" / "plans.json").error().code,
              Errc::unavailable);
}

TEST(Plans, IgnoreADamagedFile) {
    const opencl::TemporaryFolder folder;
    const auto file = folder.path() / "plans.json";
    Plans plans(device("1"));
    plans.keep(bucket_of(Method::block_fp32, 64, 768, 768), kOther);
    plans.keep(bucket_of(Method::block_fp32, 1024, 768, 768), kOther);
    need(plans.write(file));
    std::ifstream in(file);
    const std::string text{std::istreambuf_iterator<char>(in), {}};
    const auto with = [&](const std::string& from, const std::string& to) {
        auto changed = text;
        return changed.replace(changed.rfind(from), from.size(), to);
    };
    for (const auto& damaged :
         {text.substr(0, text.size() / 2), std::string(), with("block_fp32", "nonsense"),
          with("384", "100"), with("\"rows\": 12", "\"rows\": 99"), with("\"k\"", "\"kk\""),
          with("\"version\": 4", "\"version\": 1")}) {
        std::ofstream(file, std::ios::trunc) << damaged;
        Plans read(device("1"));
        EXPECT_EQ(read.read(file).error().code, Errc::corrupt) << damaged;
        EXPECT_EQ(read.size(), 0U);
    }
}

TEST(Search, TriesTheDefaultFirstAndTakesTheFastestCorrectPlan) {
    const auto found = need(
        search(programs(), {Method::block_fp32, 32, 100, 70}, {.budget = std::chrono::seconds(4)}));
    ASSERT_FALSE(found.tried.empty());
    const auto units = programs().device().info().compute_units;
    EXPECT_EQ(found.tried[0].plan, default_plan(Method::block_fp32, units, 32, 100));
    const auto best = std::ranges::min_element(found.tried, {}, &Candidate::seconds);
    const bool pays = best->seconds < kWorthLeavingTheDefault * found.tried[0].seconds;
    EXPECT_EQ(found.best, pays ? best->plan : found.tried[0].plan);
    for (const auto& candidate : found.tried) {
        EXPECT_TRUE(candidate.accurate);
        EXPECT_GT(candidate.error, 0);  // it was compared with something
        EXPECT_LE(candidate.error, 1e-5);
        EXPECT_GT(candidate.seconds, 0);
    }
}

TEST(Search, ReturnsTheDefaultWithoutTime) {
    const auto found = need(search(programs(), {Method::group_fp32, 32, 33, 34},
                                   {.budget = std::chrono::milliseconds(0)}));
    EXPECT_EQ(found.tried.size(), 1U);
    EXPECT_EQ(found.best.method, Method::group_fp32);
}

TEST(Search, ComparesProductsInInt8WithThoseOfTheRoundedNumbers) {
    if (!processor_has(opencl::Instructions::avx2)) GTEST_SKIP() << "of processors with AVX2";
    const auto found = need(search(programs(), {Method::block_int8_avx2, 32, 100, 128},
                                   {.budget = std::chrono::hours(1), .plans = 3}));
    EXPECT_GT(found.tried.size(), 1U);
    EXPECT_LE(found.tried.size(), 3U);
    for (const auto& candidate : found.tried) {
        EXPECT_TRUE(candidate.accurate) << candidate.error;
        EXPECT_GT(candidate.error, 1e-4);
        EXPECT_EQ(candidate.error, found.tried[0].error) << "sums of bytes are exact";
    }
}

TEST(Search, StopsWhenAsked) {
    std::stop_source stop;
    stop.request_stop();
    const auto found = search(programs(), {Method::block_fp32, 32, 33, 34},
                              {.budget = std::chrono::seconds(9), .stop = stop.get_token()});
    EXPECT_EQ(found.error().code, Errc::cancelled);
}

TEST(Tune, KeepsThePackingOfTheLargestProduct) {
    Plans plans(programs().device().info());
    const auto buckets = products_of_layers(Method::block_fp32, 32, 64);
    ASSERT_EQ(buckets.size(), 8U);
    const GemmPlan narrow{.method = Method::block_fp32, .rows = 6, .vectors = 1, .depth = 384};
    for (const auto& bucket : std::span(buckets).first(4)) {
        EXPECT_EQ(bucket, bucket_of(bucket.method, UINT32_MAX, bucket.n, bucket.k));
        plans.keep(bucket, narrow);
    }
    std::size_t told = 0;
    need(tune(programs(), std::span(buckets).last(4), {.budget = std::chrono::hours(1), .plans = 4},
              plans, [&](const Bucket& bucket, const SearchResult& found) {
                  ++told;
                  EXPECT_EQ(found.tried.front().plan, narrow);
                  EXPECT_TRUE(plans.has(bucket));
                  for (const auto& one : found.tried) EXPECT_EQ(one.plan.vectors, 1U);
              }));
    EXPECT_EQ(told, 4U);
}

TEST(Tune, EndsWithItsBudgetButAlwaysBegins) {
    Plans plans(programs().device().info());
    const auto buckets = products_of_layers(Method::block_fp32, 32, 64);
    const auto told = [](const Bucket&, const SearchResult&) {};
    need(tune(programs(), buckets, {.budget = std::chrono::seconds(0)}, plans, told));
    EXPECT_EQ(plans.size(), 1U);
    EXPECT_TRUE(plans.has(buckets.front()));
}

}  // namespace
}  // namespace plimsoll::tuning
