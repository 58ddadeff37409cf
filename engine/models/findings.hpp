#pragma once

#include "engine/base/result.hpp"

#include <filesystem>
#include <string_view>

#include <nlohmann/json_fwd.hpp>

namespace plimsoll::models {

// Findings about a model's files, as a list in a JSON file next to them. Findings about other
// files, or by other kernels and rules (`version`), are ignored.

// The list; empty if there is none about exactly these files.
nlohmann::json read_findings(const std::filesystem::path& file, std::string_view hash, int version);

// Replaces the list atomically. Errc::unavailable: the folder
// cannot be written.
Result<void> write_findings(const std::filesystem::path& file, std::string_view hash, int version,
                            const nlohmann::json& list);

}  // namespace plimsoll::models
