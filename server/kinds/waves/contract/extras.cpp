#include "server/kinds/waves/contract/extras.hpp"

#include <array>

namespace plimsoll::jobs::waves {
namespace {

constexpr std::array kAnswers = {Answer{"createWavesCheck", check_answer},
                                 Answer{"createWavesReplay", replay_answer}};

}  // namespace

constinit const KindExtras kExtras{.answers = kAnswers, .picture = count_picture};

}  // namespace plimsoll::jobs::waves
