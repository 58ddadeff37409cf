#pragma once

#include "server/jobs/kind.hpp"
#include "server/jobs/records/text_kind.hpp"

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json.hpp>

namespace plimsoll::jobs::sentiment {

// A model as workers offer it: the members of its manifest that jobs and people need.
struct OfferedModel {
    std::string name;
    std::string hash;
    std::string licence;
    std::string source;
    std::string family;
    std::string added_at;
    std::vector<std::string> labels;
    std::uint64_t parameters = 0;
    std::uint32_t longest_text = 0;  // tokens
    std::uint32_t layers = 0;
    std::uint32_t hidden = 0;
    std::uint32_t intermediate = 0;
};

nlohmann::json to_json(const OfferedModel& model);

// The models that a worker's offer of this kind (Abilities::offer) names.
std::vector<OfferedModel> models_in(const nlohmann::json& offer);

// Of all workers, each name and hash once, by name. Texts as of Knowledge::offers.
std::vector<OfferedModel> models_of(std::span<const std::string> offers);

// What a task of the model needs of its worker.
std::string capability_of(std::string_view name, std::string_view hash);

// "finbert 0123456789ab": what a lane prefers to find loaded.
std::string resident_name(std::string_view name, std::string_view hash);

// The model's texts, with estimates for a processor; the charge is corrected by what tasks took.
TextKind texts_of(const OfferedModel& model);

// Device memory for weights and batches.
int memory_mib(const OfferedModel& model);

}  // namespace plimsoll::jobs::sentiment
