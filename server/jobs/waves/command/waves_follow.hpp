#pragma once

#include "engine/waves/series/price_rows.hpp"
#include "engine/waves/settings/settings.hpp"
#include "server/jobs/waves/command/waves.hpp"

#include <functional>

namespace plimsoll::app {

// Reads the files once more; `whole_lines`: without a last line that is still being written.
using ReadPrices = std::function<Result<std::vector<waves::SymbolPrices>>(bool whole_lines)>;

// Tells what each of the last options.replay bars changed, then, with options.follow, what every
// bar changes that is appended to the files, until the program is ended.
Result<void> follow_waves(const WavesOptions& options, const waves::Settings& settings,
                          const ReadPrices& read);

}  // namespace plimsoll::app
