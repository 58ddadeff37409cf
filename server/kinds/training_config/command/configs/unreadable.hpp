#pragma once

#include "engine/base/result.hpp"

#include <string_view>

#include <yaml-cpp/exceptions.h>

namespace plimsoll::jobs::training_config {

// Why a configuration of this text could not be read, with the line.
Error unreadable(std::string_view text, const YAML::Exception& error);

}  // namespace plimsoll::jobs::training_config
