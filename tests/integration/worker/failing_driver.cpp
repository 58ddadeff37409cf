#include "failing_driver.hpp"

#include "engine/opencl/calls/cl.hpp"

#include <dlfcn.h>

// A program's own functions come before those of the libraries that it is linked with.

namespace {

using plimsoll::failing_driver::context_is_broken;
using plimsoll::failing_driver::memory_is_taken;

template <typename Function>
Function* real(Function*, const char* name) {
    return reinterpret_cast<Function*>(dlsym(RTLD_NEXT, name));
}

}  // namespace

extern "C" {

cl_mem clCreateBuffer(cl_context context, cl_mem_flags flags, size_t bytes, void* host,
                      cl_int* status) {
    if (memory_is_taken) {
        *status = CL_MEM_OBJECT_ALLOCATION_FAILURE;
        return nullptr;
    }
    return real(clCreateBuffer, "clCreateBuffer")(context, flags, bytes, host, status);
}

cl_int clFinish(cl_command_queue queue) {
    if (context_is_broken) return CL_OUT_OF_RESOURCES;
    return real(clFinish, "clFinish")(queue);
}

cl_int clEnqueueWriteBuffer(cl_command_queue queue, cl_mem buffer, cl_bool blocking, size_t offset,
                            size_t bytes, const void* from, cl_uint waits, const cl_event* wait,
                            cl_event* event) {
    if (context_is_broken) return CL_OUT_OF_RESOURCES;
    return real(clEnqueueWriteBuffer, "clEnqueueWriteBuffer")(queue, buffer, blocking, offset,
                                                              bytes, from, waits, wait, event);
}

cl_int clEnqueueReadBuffer(cl_command_queue queue, cl_mem buffer, cl_bool blocking, size_t offset,
                           size_t bytes, void* to, cl_uint waits, const cl_event* wait,
                           cl_event* event) {
    if (context_is_broken) return CL_OUT_OF_RESOURCES;
    return real(clEnqueueReadBuffer, "clEnqueueReadBuffer")(queue, buffer, blocking, offset, bytes,
                                                            to, waits, wait, event);
}
}
