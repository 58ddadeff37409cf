#pragma once

#include "engine/base/result.hpp"

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json_fwd.hpp>

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
    double difference_most = 0;
    // Outlier columns of the activations: their largest number is more than 20 times that of the
    // median column; and the largest of these ratios. int8 represents such columns badly.
    std::uint64_t outlier_columns = 0;
    double outlier_ratio = 0;
    double speedup = 0;            // fp32's time divided by its own
    double seconds_per_token = 0;  // of the texts that were timed, with tokenizing; 0: unknown
    std::string device;            // by name
    std::string proven_at;         // RFC 3339, UTC

    bool operator==(const Proof&) const = default;
};

nlohmann::json to_json(const Proof& proof);
// Throws nlohmann::json::exception.
Proof proof_from_json(const nlohmann::json& json);

// The proofs in a model's folder, next to its files: only those for exactly these files.
std::vector<Proof> read_proofs(const std::filesystem::path& folder, std::string_view hash);

// Adds them, replacing older ones of the same form and method. Errc::unavailable: the folder cannot
// be written.
Result<void> keep_proofs(const std::filesystem::path& folder, std::string_view hash,
                         const std::vector<Proof>& proofs);

}  // namespace plimsoll::models
