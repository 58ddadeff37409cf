#pragma once

#include "server/jobs/registry.hpp"
#include "tests/unit/server/jobs/run_task.hpp"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

// Estimates of the kind for its tests.
namespace plimsoll::jobs::training_config {

using nlohmann::json;

inline json bert(json more = json::object()) {
    json args = {{"model", {{"preset", "bert-base"}}}, {"gpus", {"rtx_4090"}}, {"what_ifs", false}};
    args.update(more);
    return args;
}

inline json summary_of(const json& args) {
    const auto summary = find_contract("training-config")->estimate(args, {});
    if (!summary) {
        ADD_FAILURE() << summary.error().front().pointer << ": " << summary.error().front().message;
        return {};
    }
    return json::parse(*summary);
}

inline json card_of(const json& args) { return summary_of(args).at("gpus").at(0); }

}  // namespace plimsoll::jobs::training_config
