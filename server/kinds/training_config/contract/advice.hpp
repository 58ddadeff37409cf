#pragma once

#include "server/jobs/kind_extras.hpp"
#include "server/kinds/training_config/contract/request.hpp"

#include <nlohmann/json.hpp>

// The output of a job, in the shapes of openapi.yaml. In the contract part, because an estimate is
// the same without a queue.
namespace plimsoll::jobs::training_config {

// A TrainingGpuReport of every card of the request: everything about it.
Result<nlohmann::json> cards_json(const Request& request);
// The same for one card, which takes longer than its share of all.
Result<nlohmann::json> card_json(const Request& request, std::size_t card);

// What the model of a training step stands for; other versions keep and allocate differently.
inline constexpr std::string_view kFramework = "PyTorch 2.11, transformers 5.17";

// TrainingConfigSummary of the cards' reports, in order. `device` is a TrainingDeviceMeasured, null
// if none was measured.
nlohmann::json summary_json(const Request& request, nlohmann::json cards,
                            nlohmann::json device = nullptr);

// The same, computed while a caller waits. Errors, with pointers into the arguments: it would take
// too long, or nothing can be estimated.
tl::expected<nlohmann::json, FieldErrors> estimate_now(const Request& request);

// A ConfigurationComparisonSpec: what `plimsoll apply` would change in a configuration.
tl::expected<std::string, FieldErrors> comparison_answer(const nlohmann::json& body,
                                                         const JobItem* item);

// TrainingConfigResult, a line of the results; `card` is a TrainingGpuReport.
std::string result_row(std::size_t index, const nlohmann::json& card);

// The same for a measured device; `device` is a TrainingDeviceMeasured.
std::string device_row(std::size_t index, const nlohmann::json& device);

// Which numbers of a report are modelled, published or measured: each a TrainingBasis.
nlohmann::json bases_json(const Request& request, const nlohmann::json& device);

// Parts of a card's report, one file each.
nlohmann::json gpu_json(const ::plimsoll::training::GpuProfile& gpu);
nlohmann::json memory_json(const ::plimsoll::training::GpuReport& card);
nlohmann::json breakdown_json(const ::plimsoll::training::GpuReport& card);
nlohmann::json timeline_json(const ::plimsoll::training::Estimate& estimate);
nlohmann::json guides_json(const Request& request, const ::plimsoll::training::GpuReport& card);
nlohmann::json accumulation_json(const std::optional<::plimsoll::training::AccumulationAdvice>& a);
std::string why(const Request& request, const ::plimsoll::training::GpuReport& card);
std::string why_this_batch(const Request& request, const ::plimsoll::training::GpuReport& card);

// TrainingComparison of two TrainingGpuReports: the effects of moving the run from one card to the
// other.
nlohmann::json comparison_json(const nlohmann::json& from, const nlohmann::json& to);

// "0.85", "5.83e-5": at most three digits.
std::string short_number(double value);

// "1234", "12.3", "0.124": at least three digits.
std::string three_digits(double value);

// "12.3 GiB", for sentences.
std::string gibibytes(std::int64_t bytes);

}  // namespace plimsoll::jobs::training_config
