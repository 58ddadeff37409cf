#pragma once

#include "engine/tuning/gemm_search.hpp"

#include <functional>
#include <span>
#include <vector>

namespace plimsoll::tuning {

// The products of an encoder's layers: of many tokens, then of few.
std::vector<Bucket> products_of_layers(routines::Method method, std::uint32_t hidden,
                                       std::uint32_t intermediate);

// Searches a plan for each bucket, one after the other, with an equal share of the budget, and
// keeps it. On a slow machine the last ones may be left out, never the first. A bucket of fewer
// rows comes after that of the most, whose packing it keeps, since a matrix is packed once.
// `on_result` gets each result. After an error, what was found before it is kept.
using OnResult = std::function<void(const Bucket&, const SearchResult&)>;
Result<void> tune(opencl::Programs& programs, std::span<const Bucket> buckets,
                  const SearchLimits& limits, Plans& plans, const OnResult& on_result);

}  // namespace plimsoll::tuning
