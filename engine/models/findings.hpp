#pragma once

#include "engine/base/result.hpp"

#include <filesystem>
#include <string_view>

#include <nlohmann/json_fwd.hpp>

namespace plimsoll::models {

// What was found of a model's files, as a list in a JSON file beside them. What was found of other
// files, or by other kernels and rules (`version`), is not believed.

// The list; empty: there is none of these very files.
nlohmann::json read_findings(const std::filesystem::path& file, std::string_view hash, int version);

// Writes it in the place of an older one, at once or not at all. Errc::unavailable: the folder
// cannot be written.
Result<void> write_findings(const std::filesystem::path& file, std::string_view hash, int version,
                            const nlohmann::json& list);

}  // namespace plimsoll::models
