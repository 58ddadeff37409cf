#pragma once

#include "engine/waves_opencl/opencl_search.hpp"

namespace plimsoll::waves::testing {

// The search on PoCL's device; kernels are built once a flavour.
SearchDevice& search_on(const Flavour& flavour);

}  // namespace plimsoll::waves::testing
