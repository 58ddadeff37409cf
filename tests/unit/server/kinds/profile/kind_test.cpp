// The kind as the server and a worker use it: plan, run, merge, on the host and on PoCL.
#include "engine/models/store.hpp"
#include "engine/opencl/memory/ledger.hpp"
#include "engine/opencl/probing/probe.hpp"
#include "engine/tuning/gemm_plans.hpp"
#include "server/base/gzip.hpp"
#include "server/jobs/registry.hpp"
#include "server/kinds/profile/command/report_file.hpp"
#include "server/kinds/profile/contract/request.hpp"
#include "tests/unit/engine/models/tiny_model.hpp"
#include "tests/unit/engine/opencl/kernel_cache.hpp"
#include "tests/unit/server/jobs/run_task.hpp"

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <optional>
#include <set>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <nlohmann/json.hpp>

namespace plimsoll::jobs::profile {
namespace {

using nlohmann::json;
using testing::HasSubstr;

const auto* const kCache = testing::AddGlobalTestEnvironment(new opencl::KernelCache);

const Contract& kind() { return *find_contract("profile"); }

tl::expected<Plan, FieldErrors> plan_of(const json& args) { return kind().plan(args, {}); }

std::string error_of(const json& args) {
    const auto plan = plan_of(args);
    return plan ? "" : plan.error().front().pointer + " " + plan.error().front().rule;
}

struct Outcome {
    std::vector<json> rows;
    TaskOutput output;
    json summary;
};

Outcome run_all(const json& args, opencl::Device* device, const KindSettings& settings = {},
                const opencl::Capability* capability = nullptr) {
    const auto plan = plan_of(args).value();
    EXPECT_EQ(plan.tasks.size(), 1u);
    const Run& run = *find_run("profile", kVersion);
    Progress progress;
    RunContext context{.device = device,
                       .progress = progress,
                       .stop = {},
                       .capability = capability,
                       .settings = settings};
    Outcome outcome;
    outcome.output = run_task(run, plan.args, plan.tasks[0].input, context).value();
    EXPECT_EQ(progress.done(), plan.tasks[0].items);
    EXPECT_LE(outcome.output.partial.size(), 64u << 10);
    std::istringstream rows(gunzip(outcome.output.results, 1 << 20).value());
    for (std::string row; std::getline(rows, row);) outcome.rows.push_back(json::parse(row));
    EXPECT_EQ(std::ssize(outcome.rows), plan.tasks[0].items);
    const std::string partials[] = {outcome.output.partial};
    outcome.summary = json::parse(merge_tasks(run, plan.args, partials)->summary);
    return outcome;
}

TEST(ProfileKind, RunsOnTheClassThatTheModeNeeds) {
    EXPECT_EQ(plan_of(json::object())->requirement.device_class, "gpu,cpu,host");
    EXPECT_EQ(plan_of({{"mode", "engine"}})->requirement.device_class, "gpu,cpu");
    EXPECT_EQ(plan_of({{"mode", "sentiment"}})->requirement.device_class, "host");
    EXPECT_EQ(plan_of({{"device_class", "cpu"}})->requirement.device_class, "cpu");
    EXPECT_EQ(plan_of(json::object())->tasks[0].items, 10);
}

TEST(ProfileKind, RunsOnTheNamedDevice) {
    // Its class was looked up by the server.
    const auto plan = plan_of({{"device", "dock-1/opencl:pocl:0"}, {"device_class", "cpu"}});
    EXPECT_EQ(plan->requirement.device_class, "cpu");
    EXPECT_EQ(plan->requirement.capability, "device=dock-1/opencl:pocl:0");
    EXPECT_EQ(plan_of(json::object())->requirement.capability, "");
    EXPECT_EQ(error_of({{"mode", "engine"}, {"device", "dock-1/host"}, {"device_class", "host"}}),
              "/device no_device");
}

TEST(ProfileKind, NamesInvalidArguments) {
    EXPECT_EQ(error_of({{"sentiment_model", "finbert"}}), "/sentiment_model unknown_model");
    EXPECT_EQ(error_of({{"mode", "engine"}, {"device_class", "host"}}), "/device_class no_device");
    EXPECT_EQ(error_of({{"mode", "engine"}, {"sentiment_model", "finbert"}}),
              "/sentiment_model not_used");
    EXPECT_EQ(error_of({{"form", "int8"}}), "/form not_used");
    EXPECT_EQ(error_of({{"mode", "engine"}, {"form", "int8"}}), "/form not_used");
    EXPECT_EQ(error_of({{"mode", "llm"}, {"batch_sizes", {1}}}), "/llm_endpoint not_allowed");
    EXPECT_EQ(error_of({{"mode", "engine"}, {"batch_sizes", {1}}}), "/batch_sizes not_used");
    EXPECT_EQ(error_of({{"batch_sizes", {4, 9}}, {"limits", {{"max_batch", 8}}}}),
              "/batch_sizes/1 max_batch");
}

TEST(ProfileKind, MeasuresTheRequestedBatchSizes) {
    const auto outcome = run_all({{"mode", "sentiment"}, {"batch_sizes", {20, 1, 5, 10}}}, nullptr);
    const auto& curve = outcome.summary.at("results").at(0).at("lengths").at(2);
    std::vector<int> sizes;
    for (const auto& point : curve.at("points")) sizes.push_back(point.at("batch_size"));
    EXPECT_EQ(sizes, (std::vector{1, 5, 10, 20}));
    EXPECT_EQ(curve.at("measured"), 4);
    EXPECT_EQ(curve.at("full_sweep"), 4);
    EXPECT_TRUE(curve.at("recommended_batch").is_number());
}

// A worker with a device and a published model.
class ProfileOfAModel : public testing::Test {
  protected:
    ProfileOfAModel() : ledger_(std::uint64_t{1} << 30) {
        auto device = opencl::Device::open({"pocl", 0});
        if (!device) throw std::runtime_error(device.error().message);
        device_.emplace(std::move(*device));
        capability_ = opencl::assess(*device_);
        TinyModel().write(folder_.path() / "published");
        models::Store store(folder_.path() / "models");
        const auto added = store.add(folder_.path() / "published", {.name = "tiny"}, false, {});
        if (!added) throw std::runtime_error(added.error().message);
        hash_ = added->hash;
        settings_.values["models.folder"] = store.folder().string();
        settings_.cache = folder_.path() / "kernels";
    }

    static const jobs::Run& run() { return *find_run("profile", kVersion); }
    PlanningContext planning_context() const {
        const auto advertisement = run().capabilities(settings_, &capability_).advertisement;
        PlanningContext known;
        known.advertisements = {json{{"profile", json::parse(advertisement)}}.dump()};
        return known;
    }
    Plan planned(const json& args) const { return kind().plan(args, planning_context()).value(); }

    TemporaryFolder folder_;
    opencl::Ledger ledger_;
    std::optional<opencl::Device> device_;
    opencl::Capability capability_;
    KindSettings settings_;
    std::string hash_;
};

TEST_F(ProfileOfAModel, MeasuresThisModelOnADevice) {
    const auto plan = planned({{"mode", "sentiment"}, {"sentiment_model", "tiny"}});
    const auto capability = "measure tiny " + hash_.substr(0, 12) + " fp32";
    EXPECT_EQ(plan.requirement.device_class, "gpu,cpu");
    EXPECT_EQ(plan.requirement.capability, capability);
    const auto names = run().capabilities(settings_, &capability_).names;
    EXPECT_NE(std::ranges::find(names, capability), names.end());
    EXPECT_TRUE(run().capabilities(settings_, nullptr).names.empty());
    const auto there = planned(
        {{"sentiment_model", "tiny"}, {"device", "dock-1/opencl:pocl:0"}, {"device_class", "cpu"}});
    EXPECT_EQ(there.requirement.capability, "device=dock-1/opencl:pocl:0," + capability);
}

TEST_F(ProfileOfAModel, IsNeverSilentlyOfAnother) {
    const auto refused = [&](const json& args) {
        const auto plan = kind().plan(args, planning_context());
        return plan ? "" : plan.error()[0].pointer + ": " + plan.error()[0].message;
    };
    EXPECT_THAT(refused({{"sentiment_model", "tine"}}),
                HasSubstr("Did you mean \"tiny\"? Available: vader, tiny."));
    EXPECT_THAT(refused({{"sentiment_model", "tiny"}, {"device_class", "host"}}),
                HasSubstr("/device_class: The host has no OpenCL device"));
    EXPECT_THAT(refused({{"sentiment_model", "tiny"}, {"form", "bf16"}}),
                testing::AnyOf("", HasSubstr("/form: No device with tiny supports bf16.")));
    // Without a name it is finbert, or VADER.
    EXPECT_EQ(planned({{"mode", "sentiment"}}).requirement.device_class, "host");
    EXPECT_FALSE(kind().needs({{"mode", "engine"}}).pool);
    EXPECT_FALSE(kind().needs({{"sentiment_model", "vader"}}).pool);
    EXPECT_TRUE(kind().needs(json::object()).pool);
}

TEST_F(ProfileOfAModel, MeasuresItsSpeedAndMemory) {
    const auto plan = planned(
        {{"mode", "sentiment"}, {"sentiment_model", "tiny"}, {"batch_sizes", {1, 5, 10, 20}}});
    Progress progress;
    RunContext context{.device = &*device_,
                       .progress = progress,
                       .stop = {},
                       .capability = &capability_,
                       .ledger = &ledger_,
                       .settings = settings_};
    const auto output = run_task(run(), plan.args, plan.tasks[0].input, context).value();
    EXPECT_EQ(output.items_ok, 3);
    EXPECT_EQ(ledger_.used(), 0U) << "let go of at the end";
    const auto summary = json::parse(output.partial);
    const auto& model = summary.at("results").at(0);
    EXPECT_EQ(model.at("model_name"), "tiny");
    EXPECT_EQ(model.at("model_hash"), hash_);
    EXPECT_EQ(model.at("form"), "fp32");
    EXPECT_GT(model.at("load_time_ms"), 0.0);
    EXPECT_GT(model.at("predicted_vram_mb"), 0.1);
    EXPECT_LT(model.at("vram_used_mb"), 100.0);
    EXPECT_GT(model.at("vram_total_mb"), 100.0);
    ASSERT_EQ(model.at("batch_results").size(), 4U);
    EXPECT_EQ(model.at("batch_results").at(3).at("batch_size"), 20);
    const auto text = summary_text(summary, 0);
    EXPECT_THAT(text, HasSubstr("Sentiment Model: tiny in fp32\n"));
    EXPECT_THAT(text, HasSubstr("--set batch_size=" +
                                std::to_string(model.at("recommended_batch").get<int>())));
    // Its files changed after the job was submitted.
    ASSERT_TRUE(models::Store(folder_.path() / "models").remove("tiny"));
    const auto gone = run_task(run(), plan.args, plan.tasks[0].input, context).value();
    EXPECT_EQ(gone.items_failed, 3);
}

TEST(ProfileKind, ProfilesVader) {
    const auto outcome = run_all({{"mode", "sentiment"}, {"limits", {{"max_batch", 64}}}}, nullptr);
    EXPECT_EQ(outcome.output.items_ok, 3);
    const auto& summary = outcome.summary;
    EXPECT_TRUE(summary.at("engine").is_null());
    // The guide's keys.
    for (const auto* key : {"used_mb", "total_mb", "free_mb", "utilization_pct"})
        EXPECT_TRUE(summary.at("system_info").at(key).is_number()) << key;
    EXPECT_EQ(summary.at("summary").at("total_models_profiled"), 1);
    EXPECT_EQ(summary.at("summary").at("llm_models"), 0);
    const auto& model = summary.at("results").at(0);
    EXPECT_EQ(model.at("model_name"), "vader");
    EXPECT_EQ(model.at("model_type"), "sentiment");
    for (const auto* key :
         {"load_time_ms", "inference_time_ms", "items_per_second", "vram_used_mb"}) {
        EXPECT_TRUE(model.at(key).is_number()) << key;
    }
    const auto& first = model.at("batch_results").at(0);
    EXPECT_EQ(first.at("batch_size"), 1);
    EXPECT_EQ(first.at("speedup_vs_1"), 1.0);
    EXPECT_GT(first.at("avg_time_ms"), 0.0);
    // And what is ours beside them.
    ASSERT_EQ(model.at("lengths").size(), 3u);
    for (const auto& curve : model.at("lengths")) {
        EXPECT_TRUE(curve.at("recommended_batch").is_number());
        EXPECT_EQ(curve.at("measured"), curve.at("points").size());
        for (const auto& point : curve.at("points")) EXPECT_GE(point.at("runs"), 3);
    }
    EXPECT_EQ(outcome.rows[1].at("part"), "sentiment/medium");
    EXPECT_EQ(outcome.rows[1].at("unit"), "texts/s");
    EXPECT_TRUE(outcome.rows[1].at("error").is_null());
    const auto text = summary_text(summary, 0);
    EXPECT_THAT(text, HasSubstr("Sentiment Model: vader\n  Load time: "));
    EXPECT_THAT(text, HasSubstr("x at batch_size="));
}

// The methods of the products that a job measured.
std::set<std::string> methods_of(const json& summary) {
    std::set<std::string> methods;
    for (const auto& rate : summary.at("engine").at("products"))
        methods.insert(rate.at("method").get<std::string>());
    return methods;
}

// With the tuned plans of the cache that the settings name, by the features that were proven: none.
TEST(ProfileKind, ProfilesADevice) {
    const opencl::TemporaryFolder cache;
    const opencl::TemporaryFolder unused;
    setenv("XDG_CACHE_HOME", unused.path().c_str(), 1);
    auto device = opencl::Device::open({"pocl", 0});
    ASSERT_TRUE(device) << device.error().message;
    const auto file = tuning::plans_file(cache.path(), device->info().address);
    tuning::Plans plans(device->info());
    const auto bucket = tuning::bucket_of(routines::Method::block_fp32, 512, 3072, 768);
    plans.keep(bucket, plans.plan_for(bucket));
    std::filesystem::create_directories(file.parent_path());
    ASSERT_TRUE(plans.write(file));
    const auto outcome = run_all({{"mode", "engine"}, {"limits", {{"max_batch", 32}}}}, &*device,
                                 {.values = {}, .cache = cache.path()});
    EXPECT_EQ(outcome.output.items_failed, 0) << outcome.summary.at("errors");
    const auto& engine = outcome.summary.at("engine");
    EXPECT_EQ(outcome.summary.at("device").at("device"), "opencl:pocl:0");
    EXPECT_TRUE(outcome.summary.at("results").empty());
    for (const auto* member : {"peak", "products", "rows", "attention"}) {
        EXPECT_FALSE(engine.at(member).empty()) << member;
        for (const auto& rate : engine.at(member)) EXPECT_GT(rate.at("value"), 0.0) << rate;
    }
    EXPECT_EQ(engine.at("tuned_plans"), 1);
    EXPECT_EQ(methods_of(outcome.summary), std::set<std::string>{"block_fp32"});
    EXPECT_GT(engine.at("products").at(0).at("fraction_of_peak"), 0.0);
    EXPECT_GT(engine.at("batches").at("peak_items_per_second"), 0.0);
    EXPECT_GT(engine.at("launches").at("queued_us"), 0.0);
    EXPECT_GT(engine.at("overlap").at("speedup"), 0.0);
    EXPECT_THAT(summary_text(outcome.summary, 0),
                HasSubstr("with a second queue: FEATURE_CUDA_STREAMS has no effect"));
    EXPECT_TRUE(std::filesystem::is_empty(unused.path())) << "the settings name another folder";
}

TEST(ProfileKind, MeasuresTheDevicesProvenFeatures) {
    auto device = opencl::Device::open({"pocl", 0});
    ASSERT_TRUE(device) << device.error().message;
    const opencl::TemporaryFolder cache;
    opencl::Capability capability = opencl::assess(*device);
    const bool has_bf16 = __builtin_cpu_supports("avx512bf16") != 0;
    if (has_bf16) {
        capability.features.push_back(
            {std::string(to_string(opencl::Feature::avx512_bf16)), 0, 1, ""});
    }
    const auto outcome = run_all({{"mode", "engine"}, {"limits", {{"max_batch", 1}}}}, &*device,
                                 {.values = {}, .cache = cache.path()}, &capability);
    EXPECT_EQ(methods_of(outcome.summary).contains("block_bf16"), has_bf16);
    EXPECT_EQ(outcome.summary.at("engine").at("tuned_plans"), 0) << "of this cache";
}

TEST(ProfileKind, ReportsAMissingDeviceAndContinues) {
    const auto outcome = run_all({{"limits", {{"max_batch", 8}}}}, nullptr);
    EXPECT_EQ(outcome.output.items_ok, 3);
    EXPECT_EQ(outcome.output.items_failed, 7);
    EXPECT_EQ(outcome.rows[0].at("error_code"), "not_found");
    EXPECT_EQ(outcome.summary.at("errors").size(), 7u);
    EXPECT_THAT(summary_text(outcome.summary, 0),
                HasSubstr("Failed: engine/peak: This worker has no"));
}

TEST(ProfileKind, HasARowForEachQuarantinedPart) {
    const auto plan = plan_of({{"mode", "sentiment"}}).value();
    const auto rows = kind().failed_rows(plan.args, plan.tasks[0].input, "Its workers died.");
    ASSERT_TRUE(rows);
    std::istringstream lines(*rows);
    int count = 0;
    for (std::string row; std::getline(lines, row); ++count) {
        EXPECT_EQ(json::parse(row).at("index"), count);
        EXPECT_EQ(json::parse(row).at("error"), "Its workers died.");
    }
    EXPECT_EQ(count, 3);
    const auto merged = merge_tasks(*find_run("profile", kVersion), plan.args, {});
    ASSERT_TRUE(merged);
    EXPECT_TRUE(json::parse(merged->summary).at("results").empty());
}

TEST(ProfileKind, StopsWhenAsked) {
    const auto plan = plan_of({{"mode", "sentiment"}}).value();
    std::stop_source stop;
    stop.request_stop();
    Progress progress;
    RunContext context{.device = nullptr, .progress = progress, .stop = stop.get_token()};
    const auto output =
        run_task(*find_run("profile", kVersion), plan.args, plan.tasks[0].input, context);
    ASSERT_FALSE(output);
    EXPECT_EQ(output.error().code, Errc::cancelled);
}

}  // namespace
}  // namespace plimsoll::jobs::profile
