#pragma once

#include "engine/waves/series/price_rows.hpp"
#include "engine/waves/settings/settings.hpp"
#include "server/kinds/waves/command/options.hpp"

#include <functional>

namespace plimsoll::jobs::waves {

// Reads the files again; `whole_lines`: without a last line that is still being written.
using ReadPrices =
    std::function<Result<std::vector<::plimsoll::waves::SymbolPrices>>(bool whole_lines)>;

// Prints what each of the last options.replay bars changed and then, with options.follow, what
// every bar appended to the files changes, until the program is stopped.
Result<void> follow(const Options& options, const ::plimsoll::waves::Settings& settings,
                    const ReadPrices& read);

}  // namespace plimsoll::jobs::waves
