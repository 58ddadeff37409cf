#pragma once

#include "engine/models/store.hpp"
#include "engine/opencl/memory/ledger.hpp"
#include "engine/opencl/probing/probe.hpp"
#include "engine/routines/method.hpp"
#include "server/base/gzip.hpp"
#include "server/jobs/registry.hpp"
#include "tests/unit/engine/models/tiny_model.hpp"
#include "tests/unit/server/jobs/run_task.hpp"

#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace plimsoll::jobs::sentiment {

using nlohmann::json;

// A task by a published model, on PoCL as a worker runs it.
class SentimentOnDevice : public testing::Test {
  protected:
    SentimentOnDevice() : store_(folder_.path() / "models"), ledger_(std::uint64_t{1} << 30) {
        auto device = opencl::Device::open({"pocl", 0});
        if (!device) throw std::runtime_error(device.error().message);
        device_.emplace(std::move(*device));
        capability_ = opencl::assess(*device_);
        TinyModel().write(folder_.path() / "published");
        auto added = store_.add(folder_.path() / "published", {.name = "tiny"}, false, {});
        if (!added) throw std::runtime_error(added.error().message);
        settings_.values["models.folder"] = store_.folder().string();
        settings_.cache = folder_.path() / "kernels";
    }
    ~SentimentOnDevice() override { run().release(nullptr); }

    static const jobs::Run& run() { return *find_run("sentiment", kVersion); }

    Result<TaskOutput> score(const Plan& plan, std::size_t task = 0) {
        Progress progress;
        RunContext context{.device = &*device_,
                           .progress = progress,
                           .stop = stop_.get_token(),
                           .capability = &capability_,
                           .ledger = &ledger_,
                           .settings = settings_};
        auto output = run_task(run(), plan.args, plan.tasks[task].input, context);
        done_ = progress.done();
        return output;
    }
    // The plan that the server makes with what this worker offers.
    Plan plan(json args) const {
        const auto advertisement = run().capabilities(settings_, &capability_).advertisement;
        const PlanningContext known{
            .team = TeamId{1},
            .records = {},
            .devices = {},
            .advertisements = {json{{"sentiment", json::parse(advertisement)}}.dump()}};
        if (!args.contains("models")) args["model"] = "tiny";
        return find_contract("sentiment")->plan(args, known).value();
    }

    TemporaryFolder folder_;
    models::Store store_;
    opencl::Ledger ledger_;
    std::optional<opencl::Device> device_;
    opencl::Capability capability_;
    KindSettings settings_;
    std::stop_source stop_;
    std::int64_t done_ = 0;
};

inline std::vector<json> rows_of(const TaskOutput& output) {
    std::vector<json> rows;
    const auto lines = gunzip(output.results, 1 << 20).value();
    for (std::size_t at = 0; at < lines.size(); at = lines.find('\n', at) + 1)
        rows.push_back(json::parse(lines.substr(at, lines.find('\n', at) - at)));
    return rows;
}

inline models::Proof passed(routines::Form form, const opencl::Capability& device) {
    return {.form = std::string(to_string(form)),
            .method = std::string(to_string(method_for(device, form))),
            .passed = true,
            .why = {},
            .texts = 512,
            .same_label = 512,
            .speedup = 2,
            .device = "tests",
            .proven_at = "2026-03-02T09:00:00Z"};
}

}  // namespace plimsoll::jobs::sentiment
