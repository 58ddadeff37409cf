#pragma once

#include "server/kinds/training_config/contract/request.hpp"

#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json.hpp>

// Measurements of real runs, with the predictions for them.
namespace plimsoll::jobs::training_config {

inline constexpr std::string_view kMeasurementPrefix = "meas";  // of public IDs

// Measurements with the same comparison key correct each other's estimates: runs of one family,
// precision and training method have similar errors.
std::string comparison_key_of(const Request& request);

// What is stored of a TrainingMeasurementCreate that has "args", with the prediction made now.
tl::expected<nlohmann::json, FieldErrors> measurement_of(const nlohmann::json& measured);

// TrainingMeasurement of the contract.
nlohmann::json measurement_json(const TeamRecord& record);

struct Correction {
    double factor = 1;  // of reserved memory; between 0.2 and 5
    nlohmann::json evidence = nlohmann::json::array();
};

// The median of measured over predicted memory, over the newest measurements with the run's key. A
// single measurement counts, too, since it is shown with the result. Without any, the factor is 1.
Correction correct(const std::vector<TeamRecord>& newest_first, std::string_view comparison_key);

constexpr std::size_t kMaxEvidence = 20;

}  // namespace plimsoll::jobs::training_config
