#pragma once

#include "engine/waves/settings/keys.hpp"

namespace plimsoll::waves {

// Windows and starts as the given keys mean them: a key about windows searches in windows, a key
// about the starts of a window searches from chosen starts, unless `windows` or `starts` is given,
// too. So a configuration of the wave pipeline means here what it meant there.
void imply_scope(const nlohmann::json& given, Settings& settings);

// Given keys that have nothing to act on with these settings.
std::vector<KeyNote> keys_without_scope(const nlohmann::json& given, const Settings& settings);

}  // namespace plimsoll::waves
