#pragma once

#include "engine/waves/settings/keys.hpp"

namespace plimsoll::waves {

// Derives windows and starts from the given keys: a key about windows implies a search in windows,
// and a key about a window's starts a search from selected starts, unless `windows` or `starts` is
// given, too. So a configuration of the wave pipeline has the same effect here.
void imply_scope(const nlohmann::json& given, Settings& settings);

// Given keys that have no effect with these settings.
std::vector<KeyNote> keys_without_scope(const nlohmann::json& given, const Settings& settings);

}  // namespace plimsoll::waves
