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

// How often a model, in a form, gives texts the labels that people gave them: measured on this
// machine, never assumed.
struct Accuracy {
    std::string form;
    std::string texts_of;  // the name of the file that the texts come from
    std::uint64_t texts = 0;
    std::uint64_t right = 0;
    double low = 0;  // of the share of right ones, with 95 % confidence
    double high = 0;
    std::optional<double> macro_f1;
    std::string device;       // by name
    std::string measured_at;  // RFC 3339, UTC

    bool operator==(const Accuracy&) const = default;
};

nlohmann::json to_json(const Accuracy& accuracy);
// Throws nlohmann::json::exception.
Accuracy accuracy_from_json(const nlohmann::json& json);

// What was measured of these very files: one a form. None: nothing was.
std::vector<Accuracy> read_accuracies(const std::filesystem::path& folder, std::string_view hash);

// Keeps them in the place of all that was measured before, on other texts perhaps.
// Errc::unavailable: the folder cannot be written.
Result<void> keep_accuracies(const std::filesystem::path& folder, std::string_view hash,
                             const std::vector<Accuracy>& accuracies);

}  // namespace plimsoll::models
