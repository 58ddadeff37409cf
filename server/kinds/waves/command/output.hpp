#pragma once

#include "engine/waves/report/scan.hpp"
#include "engine/waves/settings/keys.hpp"
#include "server/kinds/waves/command/options.hpp"
#include "server/terminal/command_context.hpp"

#include <string>
#include <vector>

namespace plimsoll::jobs::waves {

// The reports in the format options.format; `notes` are settings without effect.
std::string render(const std::vector<::plimsoll::waves::SymbolReport>& reports,
                   const Options& options, const ::plimsoll::waves::Settings& settings,
                   const std::vector<::plimsoll::waves::KeyNote>& notes);

// To the file; to standard output if the name is empty.
Result<void> write(const std::string& file, const std::string& text);

// Pictures of each symbol's best counts, if the settings request them.
Result<void> write_images(const std::vector<::plimsoll::waves::SymbolReport>& reports,
                          const Options& options, const ::plimsoll::waves::Settings& settings);

// The times of the search, as profile_waves.txt next to the pictures, if the settings request it.
Result<void> write_profile(const terminal::CommandContext& context,
                           const std::vector<::plimsoll::waves::SymbolReport>& reports,
                           const ::plimsoll::waves::Settings& settings);

}  // namespace plimsoll::jobs::waves
