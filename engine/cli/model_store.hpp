#pragma once

#include "engine/models/store.hpp"

#include <filesystem>

namespace plimsoll::cli {

// The models in `folder`; empty: those of this machine's workers.
models::Store model_store(const std::filesystem::path& folder);

}  // namespace plimsoll::cli
