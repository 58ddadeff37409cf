#pragma once

#include "engine/base/result.hpp"

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json_fwd.hpp>

namespace plimsoll::models {

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
};

nlohmann::json to_json(const Accuracy& accuracy);
// Throws nlohmann::json::exception.
Accuracy accuracy_from_json(const nlohmann::json& json);

// The measurements of exactly these files, one per form; empty: none.
std::vector<Accuracy> read_accuracies(const std::filesystem::path& folder, std::string_view hash);

// Replaces all earlier measurements, including those on other texts.
// Errc::unavailable: the folder cannot be written.
Result<void> keep_accuracies(const std::filesystem::path& folder, std::string_view hash,
                             const std::vector<Accuracy>& accuracies);

}  // namespace plimsoll::models
