#pragma once

#include "server/advice/records.hpp"
#include "server/jobs/kind.hpp"

#include <string_view>
#include <vector>

#include <nlohmann/json.hpp>

namespace plimsoll::advice {

struct PoolDevice {
    std::string node;
    std::string name;
    std::int64_t memory_bytes = 0;
};

// What the server knows beside the arguments.
struct Knowledge {
    std::vector<Card> cards;
    std::vector<Measurement> measurements;  // newest first
    std::vector<PoolDevice> devices;        // GPUs that are ready
};

// What the API needs of the kind that gives the advice. Pure; a few milliseconds at most.
class Advisor {
  public:
    virtual ~Advisor() = default;

    // Whether jobs of this kind have arguments to complete.
    virtual bool knows(std::string_view kind) const = 0;
    // The arguments with what they leave to the server filled in: the team's cards that they name,
    // a device of the pool for "auto", the correction by measurements. What is wrong with the rest
    // is left for the kind to say.
    virtual tl::expected<nlohmann::json, jobs::FieldErrors> complete(
        nlohmann::json args, const Knowledge& knowledge) const = 0;

    // GpuProfileList and GpuProfile of the contract. A card's errors have pointers into it.
    virtual nlohmann::json profiles(const std::vector<Card>& cards) const = 0;
    virtual tl::expected<nlohmann::json, jobs::FieldErrors> profile(
        const nlohmann::json& card) const = 0;

    // What is stored of a TrainingMeasurementCreate whose "args" are there: comparison_key, bytes and
    // data, with the prediction made now.
    virtual tl::expected<Measurement, jobs::FieldErrors> compare(
        const nlohmann::json& measured) const = 0;
};

}  // namespace plimsoll::advice
