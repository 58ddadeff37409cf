// Where the kind runs: on the processor or on a device, and what the report says of it.
#include "tests/unit/engine/opencl/kernel_cache.hpp"
#include "tests/unit/server/kinds/waves/kind_case.hpp"

namespace plimsoll::jobs::waves {
namespace {

const auto* const kCache = testing::AddGlobalTestEnvironment(new opencl::KernelCache);

TEST(WavesKind, RunsOnTheClassThatUseGpuSelects) {
    const std::string csv = walks(2, 100);
    const auto classes = [&](const json& more) {
        json args = {{"prices", csv}};
        args.update(more);
        return plan(args).value().requirement.device_class;
    };
    EXPECT_EQ(classes(json::object()), "host");
    EXPECT_EQ(classes({{"use_gpu", true}}), "gpu,cpu,host");
    EXPECT_EQ(classes({{"surrogates", 10'000}, {"windows", "weeks"}}), "host");
    const json much = {{"prices", walks(40, 500)}, {"surrogates", 10'000}};
    EXPECT_EQ(classes(much), "gpu,host");
    json none = much;
    none["use_gpu"] = false;
    EXPECT_EQ(classes(none), "host");
}

TEST(WavesKind, TheReportSeparatesProcessorsOfTwoMachines) {
    const Plan planned = plan({{"prices", walks(40, 20)}}).value();
    ASSERT_EQ(planned.tasks.size(), 3u);
    const auto computed = run_all(planned, nullptr, {"first", "second"}).report["computed"];
    ASSERT_EQ(computed.size(), 2u);
    EXPECT_EQ(computed[0]["node"], "first");
    EXPECT_EQ(computed[0]["symbols"], 24);
    EXPECT_EQ(computed[1]["node"], "second");
    EXPECT_EQ(computed[1]["symbols"], 16);
}

TEST(WavesKind, ADeviceGivesTheSameResultAndTheReportNamesIt) {
    auto device = opencl::Device::open({"pocl", 0});
    ASSERT_TRUE(device) << device.error().message;
    const Plan planned =
        plan({{"prices", walks(5, 120)}, {"surrogates", 20}, {"use_gpu", true}}).value();
    const Outcome with = run_all(planned, &*device);
    const Outcome without = run_all(planned);
    EXPECT_EQ(with.rows, without.rows);
    EXPECT_EQ(with.report["ranking"], without.report["ranking"]);
    const auto computed = [](const char* by, const char* why) {
        return json::array(
            {{{"by", by}, {"node", "here"}, {"symbols", 5}, {"surrogates", 100}, {"why", why}}});
    };
    EXPECT_EQ(with.report["computed"], computed("opencl:pocl:0 (CPU flavour)", "use_gpu is true."));
    const Plan shared =
        plan({{"prices", walks(1, 600)}, {"surrogates", 1700}, {"use_gpu", true}}).value();
    EXPECT_GT(shared.tasks.size(), 2u);
    const Outcome shared_with = run_all(shared, &*device);
    const Outcome shared_without = run_all(shared);
    EXPECT_EQ(shared_with.rows, shared_without.rows);
    EXPECT_EQ(shared_with.report["computed"][0]["symbols"], 1);
    EXPECT_EQ(shared_with.report["computed"][0]["surrogates"], 1700);
    EXPECT_EQ(shared_with.report["computed"].size(), 1u);
    EXPECT_EQ(shared_with.report["ranking"], shared_without.report["ranking"]);
    EXPECT_EQ(without.report["computed"],
              computed("processor", "This worker has no OpenCL device."));
}

}  // namespace
}  // namespace plimsoll::jobs::waves
