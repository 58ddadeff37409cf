#pragma once

#include "server/advice/advisor.hpp"

namespace plimsoll::app {

// The kind training-config, as the API needs it beside its jobs.
class TrainingAdvisor final : public advice::Advisor {
  public:
    bool knows(std::string_view kind) const override;
    tl::expected<nlohmann::json, jobs::FieldErrors> complete(
        nlohmann::json args, const advice::Knowledge& knowledge) const override;
    nlohmann::json profiles(const std::vector<advice::Card>& cards) const override;
    tl::expected<nlohmann::json, jobs::FieldErrors> profile(
        const nlohmann::json& card) const override;
    tl::expected<advice::Measurement, jobs::FieldErrors> compare(
        const nlohmann::json& measured) const override;
};

}  // namespace plimsoll::app
