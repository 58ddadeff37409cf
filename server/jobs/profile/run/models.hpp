#pragma once

#include "engine/profiling/model_profile.hpp"

#include <string>

namespace plimsoll::jobs::profile {

// The sentiment model of this name with texts of three lengths, "short", "medium" and "long".
// Errc::not_found if there is none.
Result<profiling::Model> sentiment_model(const std::string& name);

}  // namespace plimsoll::jobs::profile
