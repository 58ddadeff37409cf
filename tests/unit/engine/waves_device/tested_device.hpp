#pragma once

#include "engine/waves_device/opencl_search.hpp"
#include "tests/unit/engine/opencl/tested_address.hpp"

namespace plimsoll::waves::testing {

// The search on the tested device; kernels are built once per flavour.
SearchDevice& search_on(const Flavour& flavour);

// That device, and the ledger in which these searches record its memory.
opencl::Device& tested_device();
opencl::Ledger& ledger();

}  // namespace plimsoll::waves::testing
