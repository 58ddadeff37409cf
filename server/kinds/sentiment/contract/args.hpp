#pragma once

#include "server/jobs/records/text_args.hpp"
#include "server/kinds/sentiment/contract/comparison.hpp"
#include "server/kinds/sentiment/contract/model_choice.hpp"
#include "server/kinds/sentiment/contract/texts.hpp"

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

namespace plimsoll::jobs::sentiment {

// What a request says about scoring and every task needs to know, too.
struct Options {
    std::optional<std::size_t> batch_size;
    std::string long_texts;  // empty: they are truncated
    // Of comparisons.
    LabelNames label_names;
    std::optional<double> neutral_within;

    bool in_windows() const { return long_texts == "windows"; }

    static void members(auto& visit, auto& self) {
        visit("batch_size", self.batch_size);
        visit("long_texts", self.long_texts);
        visit("label_names", self.label_names);
        visit("neutral_within", self.neutral_within);
    }
};

// The arguments of a request, except the texts. At most one of the first four is given.
struct Request {
    std::optional<std::string> model;
    std::optional<std::string> policy;
    std::vector<std::string> models;
    std::optional<std::string> goal;
    std::optional<std::string> form;
    Options options;

    static void members(auto& visit, auto& self) {
        visit("model", self.model);
        visit("policy", self.policy);
        visit("models", self.models);
        visit("goal", self.goal);
        visit("form", self.form);
        Options::members(visit, self.options);
    }
};

// The args of a plan: one of the first three says what scores the texts.
struct Args : TextArgs {
    UsableModel model;
    std::string asked;  // the default model that the operator set, if vader took its place
    std::optional<ResolvedPolicy> policy;
    std::vector<ComparedModel> models;  // the first is the one in use
    Options options;
    // For the report, in its format: what allows the models' forms, what was measured of them, and
    // why a goal chose the model.
    nlohmann::json proofs = nlohmann::json::array();
    nlohmann::json accuracies = nlohmann::json::array();
    nlohmann::json goal;

    static void members(auto& visit, auto& self) {
        TextArgs::members(visit, self);
        UsableModel::members(visit, self.model);
        visit("asked", self.asked);
        visit("policy", self.policy);
        visit("models", self.models);
        Options::members(visit, self.options);
        visit("proofs", self.proofs);
        visit("accuracies", self.accuracies);
        visit("goal", self.goal);
    }
};

}  // namespace plimsoll::jobs::sentiment
