#pragma once

#include "server/kinds/sentiment/contract/label.hpp"
#include "server/kinds/sentiment/contract/models.hpp"

#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace plimsoll::jobs::sentiment {

inline constexpr std::size_t kMostCompared = 5;

// A model of a comparison, as its plan stores it.
struct ComparedModel {
    std::string name;
    std::string hash;  // empty: vader
    std::string form;  // empty: vader
    bool has_neutral = true;
    bool maps_neutral = false;  // of the report: `neutral_within` was set
};
ComparedModel compared(const ScoringModel& model);
nlohmann::json to_json(const std::vector<ComparedModel>& models);
std::vector<ComparedModel> compared_models_from_json(const nlohmann::json& stored);

// The arguments with everything that planning needs about the models that they name, in the
// requested form.
tl::expected<nlohmann::json, FieldErrors> with_compared(nlohmann::json args,
                                                        const Knowledge& knowledge);

// Items of the arguments with an unknown label.
FieldErrors unknown_labels(const nlohmann::json& args);

// The meaning of the texts' labels: the names of models' labels, in upper or lower case, and the
// caller's own names.
class GivenLabels {
  public:
    // "label_names" of the arguments: {"1": "positive"}; null: none.
    explicit GivenLabels(const nlohmann::json& names);

    // Empty: unknown.
    std::optional<Label> of(std::string_view label) const;

  private:
    std::map<std::string, Label, std::less<>> names_;
};

}  // namespace plimsoll::jobs::sentiment
