#pragma once

#include "engine/opencl/calls/cl.hpp"

#include <cstddef>

namespace plimsoll::opencl {

// Where it starts to matter: Linux's large pages on x86-64 have so many bytes. A kernel that walks
// rows kilobytes apart waits for the addresses of small pages.
inline constexpr std::size_t kLargePage = std::size_t{1} << 21;

// A buffer that device and host share without a copy, in memory of this process for which large
// pages were asked (madvise); the kernel gives them where it has them. The memory goes with the
// last reference to the buffer, by whoever holds it. Null with `status` like clCreateBuffer, also
// when the process cannot have the memory: CL_OUT_OF_HOST_MEMORY. For processors only.
cl_mem create_on_large_pages(cl_context context, std::size_t bytes, cl_int& status);

}  // namespace plimsoll::opencl
