#pragma once

#include "engine/base/members.hpp"

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

// Findings about a model's files, in JSON files next to them. Those about other files, or by other
// kernels and rules, are ignored.
namespace plimsoll::models {

// A comparison of a form of a model (bf16, int8) with fp32 on texts, and whether it may be used:
// only if it passed. A form has one proof for each method that computes it.
struct Proof {
    std::string form;
    std::string method;  // see routines::Method
    bool passed = false;
    std::string why;  // why it did not pass; empty: it did
    std::uint64_t texts = 0;
    std::uint64_t same_label = 0;
    // Texts with a different label where fp32 is certain: its two most probable labels are more
    // than 0.1 apart.
    std::uint64_t flips = 0;
    // Of the probabilities of all labels: the 99th percentile of the differences, and the largest
    // one.
    double difference_p99 = 0;
    double max_difference = 0;
    // Outlier columns of the activations: their largest number is more than 20 times that of the
    // median column; and the largest of these ratios. int8 represents such columns badly.
    std::uint64_t outlier_columns = 0;
    double outlier_ratio = 0;
    double speedup = 0;            // fp32's time divided by its own
    double seconds_per_token = 0;  // of the texts that were timed, with tokenizing; 0: unknown
    std::string device;            // by name
    std::string proven_at;         // RFC 3339, UTC

    bool operator==(const Proof&) const = default;

    static void members(auto& visit, auto& self) {
        visit("form", self.form);
        visit("method", self.method);
        visit("passed", self.passed);
        visit.always("why", self.why);
        visit("texts", self.texts);
        visit("same_label", self.same_label);
        visit("flips", self.flips);
        visit("difference_p99", self.difference_p99);
        visit("difference_max", self.max_difference);
        visit("outlier_columns", self.outlier_columns);
        visit("outlier_ratio", self.outlier_ratio);
        visit("speedup", self.speedup);
        visit("seconds_per_token", self.seconds_per_token);
        visit("device", self.device);
        visit("proven_at", self.proven_at);
    }
};

// The accuracy of a form of a model on texts that people labelled, measured on this machine.
struct Accuracy {
    std::string form;
    std::string texts_of;  // name of the file with the texts
    std::uint64_t texts = 0;
    std::uint64_t right = 0;
    double low = 0;  // of the accuracy, with 95 % confidence
    double high = 0;
    std::optional<double> macro_f1;
    std::string device;       // by name
    std::string measured_at;  // RFC 3339, UTC

    bool operator==(const Accuracy&) const = default;

    static void members(auto& visit, auto& self) {
        visit("form", self.form);
        visit("texts_of", self.texts_of);
        visit("texts", self.texts);
        visit("right", self.right);
        visit("low", self.low);
        visit("high", self.high);
        visit.always("macro_f1", self.macro_f1);
        visit("device", self.device);
        visit("measured_at", self.measured_at);
    }
};

// Those in a model's folder for exactly these files; of measurements one per form.
std::vector<Proof> read_proofs(const std::filesystem::path& folder, std::string_view hash);
std::vector<Accuracy> read_accuracies(const std::filesystem::path& folder, std::string_view hash);

// Adds them, replacing older ones of the same form and method. Errc::unavailable: the folder cannot
// be written.
Result<void> keep_proofs(const std::filesystem::path& folder, std::string_view hash,
                         const std::vector<Proof>& proofs);
// Replaces all earlier measurements, including those on other texts. Errc::unavailable likewise.
Result<void> keep_accuracies(const std::filesystem::path& folder, std::string_view hash,
                             const std::vector<Accuracy>& accuracies);

}  // namespace plimsoll::models
