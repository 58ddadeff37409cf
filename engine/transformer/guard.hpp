#pragma once

#include "engine/models/proof.hpp"
#include "engine/transformer/text_classifier.hpp"

#include <span>
#include <string>

namespace plimsoll::transformer {

// What the guard requires of a form, compared with fp32.
struct Limits {
    double same_label;      // share of the texts
    double difference_p99;  // of probabilities
};
Limits limits_of(routines::Form form);

// A form's output for texts next to fp32's. For each text, `labels` probabilities in sequence.
void compare(std::span<const float> exact, std::span<const float> found, std::size_t labels,
             routines::Form form, models::Proof& into);

// The columns whose largest number is an outlier, from the largest of every column.
void find_outliers(std::vector<float> largest, models::Proof& into);

// Classifies the texts in fp32 and in each form, one model on the device after the other, and
// decides for each form whether it may be used. The forms must be supported by the device.
// Errc::cancelled.
struct Guarded {
    std::filesystem::path folder;  // of the model
    opencl::Programs& programs;
    opencl::Ledger& ledger;
    const opencl::Capability& capability;
    const tuning::Plans& plans;
    std::span<const std::string> texts;
};
Result<std::vector<models::Proof>> prove(const Guarded& guarded,
                                         std::span<const routines::Form> forms, const Watch& watch);

// Texts of many kinds and lengths, if none are given: headlines, opinions, chatter.
std::vector<std::string> usual_texts();

}  // namespace plimsoll::transformer
