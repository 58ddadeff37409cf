#pragma once

#include "server/jobs/offer.hpp"

namespace plimsoll::jobs::profile {

// Offers nothing without a job; its reports are compared with one another.
extern const Offer kOffer;

// The same for reports that measured the same things on the same device model within the same
// limits: "full of vader on NVIDIA H200 (gpu, 132 units), batches up to 4096". Machine and driver
// are not part of it: reports are compared to see how these differ.
std::string comparison_key(const nlohmann::json& args, const nlohmann::json& summary);

}  // namespace plimsoll::jobs::profile
