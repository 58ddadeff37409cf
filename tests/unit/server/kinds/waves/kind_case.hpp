#pragma once

#include "engine/opencl/memory/ledger.hpp"
#include "engine/opencl/runtime/device.hpp"
#include "engine/waves/significance/surrogates.hpp"
#include "server/base/gzip.hpp"
#include "server/jobs/registry.hpp"
#include "server/kinds/waves/contract/slices.hpp"
#include "tests/unit/server/jobs/run_task.hpp"

#include <cmath>
#include <sstream>

#include <gtest/gtest.h>

namespace plimsoll::jobs::waves {

using nlohmann::json;

inline tl::expected<Plan, FieldErrors> plan(const json& args) {
    return find_contract("waves")->plan(args, {});
}

struct Outcome {
    std::vector<json> rows;
    json report;
    std::int64_t ok = 0;
    std::int64_t failed = 0;
};

// On one machine after the other.
inline Outcome run_all(const Plan& plan, opencl::Device* device = nullptr,
                       const std::vector<std::string>& nodes = {"here"}) {
    const jobs::Run& run = *find_run("waves", kVersion);
    Outcome outcome;
    std::vector<std::string> members;
    std::vector<std::string> partials;
    static opencl::Ledger ledger(std::uint64_t{4} << 30);  // outlives the search that is kept
    for (const TaskSpec& task : plan.tasks) {
        Progress progress;
        RunContext context{.device = device,
                           .progress = progress,
                           .stop = {},
                           .node = nodes[members.size() % nodes.size()],
                           .ledger = &ledger};
        const TaskOutput output = run_task(run, plan.args, task.input, context).value();
        EXPECT_EQ(output.items_ok + output.items_failed, task.items);
        EXPECT_EQ(progress.done(), task.items);
        const auto told = std::min(output.partial.find('\n'), output.partial.size());
        EXPECT_LE(told, 64u << 10);
        EXPECT_LE(output.partial.size() - told, kBytesOfDrafts / 8);
        outcome.ok += output.items_ok;
        outcome.failed += output.items_failed;
        members.push_back(output.results);
        partials.push_back(output.partial);
    }
    const Merged merged = merge_tasks(run, plan.args, partials).value();
    if (!merged.results.empty()) members.back() = merged.results;
    std::string rows;
    for (const std::string& member : members) rows += gunzip(member, 1 << 28).value();
    std::istringstream lines(rows);
    for (std::string line; std::getline(lines, line);) outcome.rows.push_back(json::parse(line));
    outcome.report = json::parse(merged.summary);
    return outcome;
}

// A file of `symbols` random walks of `bars` closes.
inline std::string walks(int symbols, int bars) {
    std::string csv = "symbol,close\n";
    for (int s = 0; s < symbols; ++s) {
        engine::Random random(7, "walk", static_cast<std::uint64_t>(s));
        double price = 100;
        for (int i = 0; i < bars; ++i) {
            price *= std::exp(0.02 * random.normal());
            csv += "W" + std::to_string(s) + "," + std::to_string(price) + "\n";
        }
    }
    return csv;
}

}  // namespace plimsoll::jobs::waves
