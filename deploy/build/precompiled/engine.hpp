#pragma once

// What most folders of the engine include, parsed once for the release build. Other builds do
// without, so that every file shows there that it includes what it uses.
#include "deploy/build/precompiled/json.hpp"
#include "engine/base/result.hpp"

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <stop_token>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>
