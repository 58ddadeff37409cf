#pragma once

#include "engine/waves/series/price_rows.hpp"
#include "engine/waves/settings/settings.hpp"

namespace plimsoll::jobs::waves {

// What a symbol takes on one core. The charge is corrected by what the task really took.
double predicted_seconds(const ::plimsoll::waves::SymbolPrices& prices,
                         const ::plimsoll::waves::Settings& settings);

}  // namespace plimsoll::jobs::waves
