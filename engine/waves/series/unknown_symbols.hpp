#pragma once

#include <set>
#include <string>

namespace plimsoll::waves {

// 'There are no symbols "A", "B" and 3 more.', and for one symbol the known one that it may mean.
// `missing` must not be empty.
std::string unknown_symbols(const std::set<std::string>& missing,
                            const std::set<std::string>& known);

}  // namespace plimsoll::waves
