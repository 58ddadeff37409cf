#pragma once

#include "engine/base/result.hpp"

#include <ctime>
#include <filesystem>
#include <string>

#include <nlohmann/json_fwd.hpp>

namespace plimsoll::jobs::profile {

// Creates the folder if it is missing. Errc::invalid_input: no report can be written there. Call it
// before measuring, so that no measurement is lost.
Result<void> check_folder(const std::filesystem::path& folder);

// Writes a summary to a new file gpu_profile_YYYYmmdd_HHMMSS.json (local time) in the folder, which
// is created if missing. If the name is taken, by another run of the same second, the name gets
// _2, _3 and so on: no report is overwritten. Returns the path. Errc::invalid_input: it cannot
// be written.
Result<std::filesystem::path> write_report(const std::filesystem::path& folder,
                                           const nlohmann::json& summary, std::time_t now);

// A report's summary for a terminal: the guide's block for each model, with the recommended batch,
// and the device's own rates as a table of this many columns (0: unlimited).
std::string summary_text(const nlohmann::json& summary, std::size_t width);

}  // namespace plimsoll::jobs::profile
