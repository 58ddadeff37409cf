#pragma once

#include "engine/models/findings.hpp"
#include "engine/transformer/text_classifier.hpp"

#include <optional>
#include <span>
#include <string>
#include <vector>

namespace plimsoll::transformer {

// What the guard requires of a form, compared with fp32.
struct Limits {
    double same_label;      // share of the texts
    double difference_p99;  // of probabilities
};
Limits limits_of(routines::Form form);

// Whether the proof is that of a method of this device.
bool is_of(const opencl::Capability& capability, const models::Proof& proof);

// The method that a form is computed by on this device: the fastest one that passed, by its proof.
// fp32 needs no proof. None: the form may not be used here.
std::optional<routines::Method> proven_method(std::span<const models::Proof> proofs,
                                              routines::Form form,
                                              const opencl::Capability& capability);

// A form's output for texts next to fp32's. For each text, `labels` probabilities in sequence.
void compare(std::span<const float> exact, std::span<const float> found, std::size_t labels,
             routines::Form form, models::Proof& into);

// The columns whose largest number is an outlier, from the largest of every column.
void find_outliers(std::vector<float> largest, models::Proof& into);

// Texts that one model classifies in several forms.
struct Guarded {
    std::filesystem::path folder;  // of the model
    opencl::Programs& programs;
    opencl::Ledger& ledger;
    const opencl::Capability& capability;
    const tuning::Plans& plans;
    std::span<const std::string> texts;
};

// A form's output for all texts.
struct Trial {
    std::vector<float> probabilities;  // of the labels, text by text
    std::vector<float> largest;        // of every column of what layers hand on
};
// In fp32, which forms are compared with. Errc::cancelled.
Result<Trial> try_exact(const Guarded& guarded, const Watch& watch);

// A form computed by one of the device's methods.
struct ProvenMethod {
    models::Proof proof;
    std::vector<float> probabilities;
};
// fp32 is loaded alongside it, since their times are measured alternately. Errc::cancelled.
Result<ProvenMethod> prove_method(const Guarded& guarded, const Trial& exact,
                                  routines::Method method, const Watch& watch);

// A form's output: the labels' probabilities, text by text.
struct FormOutput {
    std::string form;
    std::vector<float> probabilities;
};
struct Proven {
    std::vector<models::Proof> proofs;  // by form and method
    std::vector<FormOutput> outputs;    // fp32 first, then by form
};
// All of these at once: in fp32 and in each form by each of the device's methods. `outputs` has
// that of the form's fastest method. The forms must be supported by the device; none: fp32 alone.
// Errc::cancelled.
Result<Proven> prove(const Guarded& guarded, std::span<const routines::Form> forms,
                     const Watch& watch);

// Texts of many kinds and lengths, if none are given: headlines, opinions, chatter.
std::vector<std::string> calibration_texts();

}  // namespace plimsoll::transformer
