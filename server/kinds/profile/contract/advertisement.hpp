#pragma once

#include "server/base/id.hpp"
#include "server/jobs/kind_extras.hpp"

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json_fwd.hpp>

namespace plimsoll::jobs::profile {

// A published model that a worker can measure, and its forms: all that the device supports, proven
// or not.
struct AdvertisedModel {
    std::string name;
    std::string hash;
    std::uint64_t parameters = 0;
    std::vector<std::string> forms;
    std::string audience = {};  // see models::Manifest

    bool operator==(const AdvertisedModel&) const = default;
};

// What a worker advertises about its models (Capabilities::advertisement), and the models of all
// advertisements that the team may use, by name: each name and hash once, with the forms of all
// workers. Advertisements are those of PlanningContext::advertisements.
std::string advertisement_of(const std::vector<AdvertisedModel>& models);
std::vector<AdvertisedModel> models_of(std::span<const std::string> advertisements, TeamId team);

// The capability that a worker needs to measure it; see Requirement::capability.
std::string capability_of(std::string_view name, std::string_view hash, std::string_view form);

// Offers nothing without a job; its reports are compared with one another.
extern const KindExtras kExtras;

// The same for reports that measured the same things on the same device model within the same
// limits: "full of vader on NVIDIA H200 (gpu, 132 units), batches up to 4096". Machine and driver
// are not part of it: reports are compared to see how these differ.
std::string comparison_key(const nlohmann::json& args, const nlohmann::json& summary);

}  // namespace plimsoll::jobs::profile
