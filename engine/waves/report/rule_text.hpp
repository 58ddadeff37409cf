#pragma once

#include "engine/waves/search/pattern.hpp"

#include <string>

namespace plimsoll::waves {

// The rule's text for a pattern of this direction.
std::string rule_text(const Rule& rule, bool rising);

}  // namespace plimsoll::waves
