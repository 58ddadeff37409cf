#pragma once

#include "engine/waves_device/opencl_search.hpp"

namespace plimsoll::waves::testing {

// The search on PoCL's device; kernels are built once per flavour.
SearchDevice& search_on(const Flavour& flavour);

// PoCL's device, and the ledger in which these searches record its memory.
opencl::Device& pocl();
opencl::Ledger& ledger();

}  // namespace plimsoll::waves::testing
