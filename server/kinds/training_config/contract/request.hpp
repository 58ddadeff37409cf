#pragma once

#include "engine/training/advice/diagnosis.hpp"
#include "engine/training/advice/report.hpp"
#include "server/jobs/kind.hpp"

#include <optional>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

namespace plimsoll::jobs::training_config {

// A stage of a curriculum: other texts per anchor, or another length, with the same model.
struct Stage {
    std::string name;
    int positives = 0;  // reported only; the memory does not depend on it
    int negatives = 0;
    int sequence = 0;
};

// A setting that the arguments omit and that affects the result.
struct Assumption {
    std::string pointer;  // into the arguments
    nlohmann::json value;
    std::string why;
};

// The arguments of a job, parsed and checked.
struct Request {
    Request();  // the API's defaults, where they are not the engine's

    ::plimsoll::training::ReportRequest report;
    std::vector<Stage> stages;
    std::vector<Assumption> assumptions;
    // Measurements of this team's real runs, compared with the model: the factor is in
    // `report.search`, this is its description. Null: none.
    nlohmann::json correction;
    bool pretraining = false;  // changes defaults only
    bool probe = false;        // a device in the pool is also measured
    // Observations of a run, to be explained; its largest batch is filled in per card.
    std::optional<::plimsoll::training::Observation> observed;
};

// The arguments have passed TrainingConfigArgs of openapi.yaml.
tl::expected<Request, FieldErrors> parse_request(const nlohmann::json& args);
// Likewise, and refuses options that would change nothing. For new requests: stored arguments were
// accepted by the rules of their time.
tl::expected<Request, FieldErrors> accept_request(const nlohmann::json& args);

// Its parts, one file each. `errors` collects errors with pointers into the arguments.
::plimsoll::training::ModelShape parse_model(const nlohmann::json& model, FieldErrors& errors);
// The goal, the effective batch and the learning rate from which the batch is chosen.
void parse_goal(const nlohmann::json& args, Request& request, FieldErrors& errors);
// The ID of a described GPU without one.
inline constexpr std::string_view kCustomGpu = "custom";
// A TrainingCustomGpu; an error's `where` is a pointer into it.
Result<::plimsoll::training::GpuProfile> parse_custom_gpu(const nlohmann::json& gpu);
// The inverse of parse_custom_gpu().
nlohmann::json custom_gpu_json(const ::plimsoll::training::GpuProfile& gpu);
// The contract's name of the model's family.
std::string_view family_name(const ::plimsoll::training::ModelShape& shape);
std::vector<::plimsoll::training::GpuProfile> parse_gpus(const nlohmann::json& args,
                                                         FieldErrors& errors);

}  // namespace plimsoll::jobs::training_config
