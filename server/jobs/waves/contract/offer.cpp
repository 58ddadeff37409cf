#include "server/jobs/waves/contract/offer.hpp"

#include "server/jobs/waves/contract/request.hpp"

#include <array>

namespace plimsoll::jobs::waves {

const Offer& offer() {
    static constexpr std::array kAnswers = {Answer{"createWavesCheck", check_answer},
                                            Answer{"createWavesReplay", replay_answer}};
    static const Offer it{.kind = kName, .answers = kAnswers, .picture = count_picture};
    return it;
}

}  // namespace plimsoll::jobs::waves
