#pragma once

#include "server/kinds/sentiment/contract/models.hpp"
#include "server/kinds/sentiment/contract/texts.hpp"

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>

namespace plimsoll::jobs::sentiment {

inline constexpr std::size_t kMaxCompared = 5;

// A model of a comparison, as its plan stores it.
struct ComparedModel {
    std::string name;
    std::string hash;  // empty: vader
    std::string form;  // empty: vader
    bool has_neutral = true;
    bool maps_neutral = false;  // its scores near 0 count as neutral; not stored

    static void members(auto& visit, auto& self) {
        visit("name", self.name);
        visit("hash", self.hash);
        visit("form", self.form);
        visit("has_neutral", self.has_neutral);
    }
};
ComparedModel compared(const ScoringModel& model);

using LabelNames = std::map<std::string, std::string, std::less<>>;  // {"1": "positive"}

// Items of a request with an unknown label.
FieldErrors unknown_labels(const LabelNames& names, const nlohmann::json& items);

// The meaning of the texts' labels: the names of models' labels, in upper or lower case, and the
// caller's own names.
class GivenLabels {
  public:
    explicit GivenLabels(const LabelNames& names);

    // Empty: unknown.
    std::optional<Label> of(std::string_view label) const;

  private:
    std::map<std::string, Label, std::less<>> names_;
};

}  // namespace plimsoll::jobs::sentiment
