#pragma once

#include "server/kinds/sentiment/contract/model_choice.hpp"

#include <span>
#include <string>

namespace plimsoll::jobs::sentiment {

struct PreviewQuestion {
    Timestamp at;
    int days = 7;
    std::string source;  // empty: none
};

// SentimentPolicyPreview: the choices of a definition that has passed its schema, with these
// models.
tl::expected<nlohmann::json, FieldErrors> preview_policy(const nlohmann::json& definition,
                                                         std::span<const Manifest> models,
                                                         const PreviewQuestion& question);

}  // namespace plimsoll::jobs::sentiment
