#include "server/jobs/offers.hpp"

#include "server/jobs/profile/contract/offer.hpp"
#include "server/jobs/waves/contract/offer.hpp"

#include <array>

namespace plimsoll::jobs {

std::span<const Offer> offers() {
    static const std::array kOffers = {profile::offer(), waves::offer()};
    return kOffers;
}

}  // namespace plimsoll::jobs
