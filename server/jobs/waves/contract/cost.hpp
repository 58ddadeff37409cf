#pragma once

#include "engine/waves/series/price_rows.hpp"
#include "engine/waves/settings/settings.hpp"
#include "server/jobs/kind.hpp"

#include <span>

namespace plimsoll::jobs::waves {

// What a symbol takes on one core. The charge is corrected by what the task really took.
double predicted_seconds(const ::plimsoll::waves::SymbolPrices& prices,
                         const ::plimsoll::waves::Settings& settings);

// The part of it that its surrogates take.
double surrogate_seconds(const ::plimsoll::waves::SymbolPrices& prices,
                         const ::plimsoll::waves::Settings& settings);

// What its row takes as text, at most about.
std::size_t predicted_row_bytes(const ::plimsoll::waves::SymbolPrices& prices,
                                const ::plimsoll::waves::Settings& settings);

// Where the tasks of a job may run, best first: as use_gpu says, or on a GPU where that may be
// worth it. Whoever gets a task compares what it would take there with the processor's time.
Requirement requirement_of(const ::plimsoll::waves::Settings& settings,
                           std::span<const TaskSpec> tasks);

}  // namespace plimsoll::jobs::waves
