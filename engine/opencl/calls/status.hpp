#pragma once

#include "engine/base/result.hpp"

#include <string>
#include <string_view>

namespace plimsoll::opencl {

// "CL_OUT_OF_RESOURCES" for -5; "CL status -9999" for a code that the standard does not define.
std::string status_name(int status);

// The failure of one API call. The message names the call and the status, `where` the device or
// kernel. Out of memory is Errc::exhausted, a missing device not_found.
Error status_error(std::string_view call, int status, std::string where = {});

}  // namespace plimsoll::opencl
