#pragma once

#include "server/kinds/sentiment/contract/args.hpp"

#include <vector>

namespace plimsoll::jobs::sentiment {

// What scores the texts of a job.
struct Scoring {
    std::vector<ScoringModel> models;  // that a worker must have; none: VADER alone
    Args args;                         // of the plan

    TextKind texts() const { return args.models.empty() ? texts_of(models) : texts_of_all(models); }
};

// The texts' attributes by which models are chosen and evaluated.
struct TextAttributes {
    const nlohmann::json* items = nullptr;  // inline ones, if they have attributes
    bool labels = false;
    bool judged = false;  // a dataset's times or sources, by which a policy may choose
};

// Whether a policy chooses the models.
bool follows_policy(const Request& request, const KindSettings& settings);

tl::expected<Scoring, FieldErrors> scoring_for(const Request& request, const Knowledge& knowledge,
                                               const TextAttributes& texts);

}  // namespace plimsoll::jobs::sentiment
