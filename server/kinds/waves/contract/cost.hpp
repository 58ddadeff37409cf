#pragma once

#include "engine/waves/series/price_rows.hpp"
#include "engine/waves/settings/settings.hpp"
#include "server/jobs/kind.hpp"

#include <span>

namespace plimsoll::jobs::waves {

// The cost of a symbol on one core. The charge is corrected to the measured time.
double predicted_seconds(const ::plimsoll::waves::SymbolPrices& prices,
                         const ::plimsoll::waves::Settings& settings);

// The part of it for its surrogates.
double surrogate_seconds(const ::plimsoll::waves::SymbolPrices& prices,
                         const ::plimsoll::waves::Settings& settings);

// Approximate maximum size of its row, as text.
std::size_t predicted_row_bytes(const ::plimsoll::waves::SymbolPrices& prices,
                                const ::plimsoll::waves::Settings& settings);

// The classes where the tasks of a job may run, best first: by use_gpu, or on a GPU if that may be
// worth it. The worker that gets a task compares its predicted time with the CPU's.
Requirement requirement_of(const ::plimsoll::waves::Settings& settings,
                           std::span<const TaskSpec> tasks);

}  // namespace plimsoll::jobs::waves
