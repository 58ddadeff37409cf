#pragma once

#include "engine/base/result.hpp"

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json_fwd.hpp>

namespace plimsoll::models {

// How a form of a model (bf16, int8) compared with fp32 on texts, and whether it may be used: only
// if it passed. A form has a proof for each method that computes it.
struct Proof {
    std::string form;
    std::string method;  // see routines::Method
    bool passed = false;
    std::string why;  // it did not pass; empty: it did
    std::uint64_t texts = 0;
    std::uint64_t same_label = 0;
    // Texts whose label differs though fp32 is sure of it: the two most probable labels lie more
    // than 0.1 apart.
    std::uint64_t flips = 0;
    // Of the probabilities of all labels: what 99 % of the differences do not exceed, and the most.
    double difference_p99 = 0;
    double difference_most = 0;
    // Columns of what layers hand on whose largest number is more than 20 times that of the median
    // column, and the largest of these ratios: what bytes are bad at.
    std::uint64_t outlier_columns = 0;
    double outlier_ratio = 0;
    double speedup = 0;     // the time of fp32 by its own
    std::string device;     // by name
    std::string proven_at;  // RFC 3339, UTC

    bool operator==(const Proof&) const = default;
};

nlohmann::json to_json(const Proof& proof);
// Throws nlohmann::json::exception.
Proof proof_from_json(const nlohmann::json& json);

// The proofs in a model's folder, beside its files: none where there are none of these very files.
std::vector<Proof> read_proofs(const std::filesystem::path& folder, std::string_view hash);

// Adds them, each in the place of an older one of its form and method. Errc::unavailable: the
// folder cannot be written.
Result<void> keep_proofs(const std::filesystem::path& folder, std::string_view hash,
                         const std::vector<Proof>& proofs);

}  // namespace plimsoll::models
