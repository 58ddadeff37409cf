#pragma once

#include "engine/base/result.hpp"

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace plimsoll::sentiment {

// The meaning of a text, the same for all models.
struct Opinion {
    double positive = 0;  // probabilities that sum to 1
    double neutral = 0;
    double negative = 0;
    double compound = 0;  // from -1 to 1: the mean value of the labels
};

// The index of the most probable of positive, neutral and negative; ties go to the more positive
// one.
std::size_t class_of(const Opinion& opinion);

// The value of a label (see Meaning), in upper or lower case. Empty: not a sentiment label.
std::optional<double> worth_of_label(std::string_view label);

// The values of a published classifier's labels: positive 1, neutral 0, negative -1; of five stars
// -1, -0.5, 0, 0.5, 1, where one and two stars are negative, four and five positive, and likewise
// of very negative, negative, neutral, positive, very positive.
class Meaning {
  public:
    // By the names of the labels, in upper or lower case: positive, pos, bullish; neutral, neu;
    // negative, neg, bearish; with "very" and the like before them; "1 star" to "5 stars";
    // in some other languages; "negative (stars 1 and 2)".
    // Errc::invalid_input names a label that is not a sentiment label.
    static Result<Meaning> of(std::span<const std::string> labels);

    // From the probability of every label, in their order.
    Opinion opinion(std::span<const float> probabilities) const;

    // Whether it has a neutral label.
    bool has_neutral() const;

  private:
    std::vector<double> worth_;
};

}  // namespace plimsoll::sentiment
