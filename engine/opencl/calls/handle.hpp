#pragma once

#include "engine/opencl/calls/cl.hpp"

#include <utility>

namespace plimsoll::opencl {

// Owns one reference to an OpenCL object. A failed release is ignored: it means that the driver has
// lost the context, and the process is about to end.
template <class T, auto Release>
class Handle {
  public:
    Handle() = default;
    explicit Handle(T object) : object_(object) {}
    Handle(Handle&& other) noexcept : object_(std::exchange(other.object_, nullptr)) {}
    Handle& operator=(Handle&& other) noexcept {
        std::swap(object_, other.object_);
        return *this;
    }
    ~Handle() {
        if (object_ != nullptr) Release(object_);
    }

    T get() const { return object_; }

  private:
    T object_ = nullptr;
};

using ContextHandle = Handle<cl_context, clReleaseContext>;
using QueueHandle = Handle<cl_command_queue, clReleaseCommandQueue>;
using ProgramHandle = Handle<cl_program, clReleaseProgram>;
using KernelHandle = Handle<cl_kernel, clReleaseKernel>;
using BufferHandle = Handle<cl_mem, clReleaseMemObject>;
using EventHandle = Handle<cl_event, clReleaseEvent>;

}  // namespace plimsoll::opencl
