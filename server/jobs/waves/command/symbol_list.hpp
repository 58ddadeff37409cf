#pragma once

#include "engine/base/result.hpp"

#include <set>
#include <string>
#include <vector>

namespace plimsoll::jobs::waves {

// The symbols of --symbols: names, and .txt files that list some, separated by white space or
// commas; what follows # on a line is a remark. Empty: all.
Result<std::set<std::string>> wanted_symbols(const std::vector<std::string>& given);

}  // namespace plimsoll::jobs::waves
