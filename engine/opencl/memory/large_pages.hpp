#pragma once

#include "engine/opencl/calls/cl.hpp"

#include <cstddef>

namespace plimsoll::opencl {

// From this size up, large pages pay off: it is the size of Linux's huge pages on x86-64. With
// small pages a kernel that walks rows kilobytes apart stalls on TLB misses.
inline constexpr std::size_t kLargePage = std::size_t{1} << 21;

// A buffer that host and device share without copying, in host memory advised to use huge pages
// (madvise); the kernel provides them if available. The memory is freed with the last reference to
// the buffer. Returns null and sets `status` like clCreateBuffer; CL_OUT_OF_HOST_MEMORY when the
// host allocation fails. For CPU devices only.
cl_mem create_on_large_pages(cl_context context, std::size_t bytes, cl_int& status);

}  // namespace plimsoll::opencl
