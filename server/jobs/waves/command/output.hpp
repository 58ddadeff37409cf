#pragma once

#include "engine/waves/report/scan.hpp"
#include "engine/waves/settings/keys.hpp"
#include "server/jobs/waves/command/options.hpp"
#include "server/terminal/command_context.hpp"

#include <string>
#include <vector>

namespace plimsoll::jobs::waves {

// The reports in the form that options.format names; `notes` are settings without effect.
std::string render(const std::vector<::plimsoll::waves::SymbolReport>& reports,
                   const Options& options, const ::plimsoll::waves::Settings& settings,
                   const std::vector<::plimsoll::waves::KeyNote>& notes);

// To the file; to the standard output when it has no name.
Result<void> write(const std::string& file, const std::string& text);

// Pictures of each symbol's best counts, where the settings want them.
Result<void> write_images(const std::vector<::plimsoll::waves::SymbolReport>& reports,
                          const Options& options, const ::plimsoll::waves::Settings& settings);

// Where the time went, as profile_waves.txt beside the pictures, where the settings want it.
Result<void> write_profile(const terminal::CommandContext& context,
                           const std::vector<::plimsoll::waves::SymbolReport>& reports,
                           const ::plimsoll::waves::Settings& settings);

}  // namespace plimsoll::jobs::waves
