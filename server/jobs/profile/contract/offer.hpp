#pragma once

#include "server/jobs/offer.hpp"

namespace plimsoll::jobs::profile {

// Nothing without a job: its reports are compared with one another.
extern const Offer kOffer;

// The same for reports that measured the same things on the same model of device within the same
// limits: "full of vader on NVIDIA H200 (gpu, 132 units), batches up to 4096". Neither machine nor
// driver are in it: how these differ is what reports are compared for.
std::string comparison_key(const nlohmann::json& args, const nlohmann::json& summary);

}  // namespace plimsoll::jobs::profile
