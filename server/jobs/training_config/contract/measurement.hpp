#pragma once

#include "server/jobs/training_config/contract/request.hpp"

#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json.hpp>

// What real runs took, against what was predicted for them.
namespace plimsoll::jobs::training_config {

inline constexpr std::string_view kMeasurementPrefix = "meas";  // of public ids

// Measurements with the same comparison key correct each other's estimates: runs of one family,
// precision and way of training err alike.
std::string comparison_key_of(const Request& request);

// What is stored of a TrainingMeasurementCreate whose "args" are there, with the prediction made
// now.
tl::expected<nlohmann::json, FieldErrors> measurement_of(const nlohmann::json& measured);

// TrainingMeasurement of the contract.
nlohmann::json measurement_json(const TeamRecord& record);

struct Correction {
    double factor = 1;  // on reserved memory; between 0.2 and 5
    nlohmann::json evidence = nlohmann::json::array();
};

// The median of measured over predicted, of the newest measurements that are like the run. One
// measurement is enough: it is worth more than none, and it is shown. Without any the factor is 1.
Correction correct(const std::vector<TeamRecord>& newest_first, std::string_view comparison_key);

constexpr std::size_t kMostEvidence = 20;

}  // namespace plimsoll::jobs::training_config
