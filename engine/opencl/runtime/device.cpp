#include "engine/opencl/runtime/device.hpp"

#include "engine/opencl/calls/status.hpp"
#include "engine/opencl/devices/inventory.hpp"
#include "engine/opencl/devices/processor.hpp"
#include "engine/opencl/memory/ledger.hpp"

#include <utility>

namespace plimsoll::opencl {

namespace {

std::string build_log(cl_program program, cl_device_id device) {
    std::size_t bytes = 0;
    if (clGetProgramBuildInfo(program, device, CL_PROGRAM_BUILD_LOG, 0, nullptr, &bytes) !=
        CL_SUCCESS) {
        return {};
    }
    std::string log(bytes, '\0');
    clGetProgramBuildInfo(program, device, CL_PROGRAM_BUILD_LOG, bytes, log.data(), nullptr);
    while (!log.empty() && (log.back() == '\0' || log.back() == '\n')) log.pop_back();
    return log;
}

}  // namespace

Device::Device(DeviceInfo info, cl_device_id id, ContextHandle context, QueueHandle queue)
    : info_(std::move(info)), id_(id), context_(std::move(context)), queue_(std::move(queue)) {}

Result<void> Device::check(std::string_view call, int status) const {
    if (status == CL_SUCCESS) return {};
    return fail(status_error(call, status, to_string(info_.address)));
}

Result<Device> Device::open(const DeviceAddress& address, SecondQueue second_queue) {
    request_amx_tiles();
    pin_driver_threads();
    auto inventory = take_inventory();
    for (auto& found : inventory.devices) {
        if (found.info.address != address) continue;
        cl_int status = CL_SUCCESS;
        ContextHandle context(clCreateContext(nullptr, 1, &found.id, nullptr, nullptr, &status));
        if (status != CL_SUCCESS)
            return fail(status_error("clCreateContext", status, to_string(address)));
        QueueHandle queue(clCreateCommandQueue(context.get(), found.id, 0, &status));
        if (status != CL_SUCCESS)
            return fail(status_error("clCreateCommandQueue", status, to_string(address)));
        Device device(std::move(found.info), found.id, std::move(context), std::move(queue));
        device.copies_apart_ =
            second_queue == SecondQueue::always ||
            (second_queue == SecondQueue::if_own_memory && has_own_memory(device.info_));
        return device;
    }
    return fail(Errc::not_found, "No OpenCL device with this address is installed.",
                to_string(address));
}

bool Device::computes_doubles() const {
    cl_device_fp_config doubles = 0;
    return clGetDeviceInfo(id_, CL_DEVICE_DOUBLE_FP_CONFIG, sizeof doubles, &doubles, nullptr) ==
               CL_SUCCESS &&
           doubles != 0;
}

Result<Kernel> Device::kernel_of(ProgramHandle program, const std::string& name,
                                 const std::string& options) const {
    cl_int status = clBuildProgram(program.get(), 1, &id_, options.c_str(), nullptr, nullptr);
    if (status != CL_SUCCESS) {
        auto error = status_error("clBuildProgram", status, name);
        error.message += "\n" + build_log(program.get(), id_);
        return fail(std::move(error));
    }
    KernelHandle kernel(clCreateKernel(program.get(), name.c_str(), &status));
    if (status != CL_SUCCESS) return fail(status_error("clCreateKernel", status, name));
    return Kernel{std::move(program), std::move(kernel), name};
}

Result<Kernel> Device::build(std::string_view source, const std::string& name,
                             const std::string& options) const {
    cl_int status = CL_SUCCESS;
    const char* text = source.data();
    const std::size_t length = source.size();
    ProgramHandle program(clCreateProgramWithSource(context_.get(), 1, &text, &length, &status));
    if (status != CL_SUCCESS) return fail(status_error("clCreateProgramWithSource", status, name));
    return kernel_of(std::move(program), name, options);
}

Result<Kernel> Device::load(const ProgramBinary& binary, const std::string& name) const {
    cl_int status = CL_SUCCESS;
    const auto* bytes = reinterpret_cast<const unsigned char*>(binary.bytes.data());
    const std::size_t length = binary.bytes.size();
    ProgramHandle program(
        clCreateProgramWithBinary(context_.get(), 1, &id_, &length, &bytes, nullptr, &status));
    if (status != CL_SUCCESS) return fail(status_error("clCreateProgramWithBinary", status, name));
    return kernel_of(std::move(program), name, {});
}

Result<ProgramBinary> Device::binary_of(const Kernel& kernel) const {
    std::size_t bytes = 0;
    cl_program program = kernel.program.get();
    cl_int status =
        clGetProgramInfo(program, CL_PROGRAM_BINARY_SIZES, sizeof bytes, &bytes, nullptr);
    ProgramBinary binary{std::vector<std::byte>(bytes)};
    if (status == CL_SUCCESS && bytes > 0) {
        auto* out = reinterpret_cast<unsigned char*>(binary.bytes.data());
        status = clGetProgramInfo(program, CL_PROGRAM_BINARIES, sizeof out, &out, nullptr);
    }
    TRY_DO(check("clGetProgramInfo", status));
    return binary;
}

Result<Buffer> Device::allocate(std::size_t bytes) const {
    cl_int status = CL_SUCCESS;
    const bool shared = info_.type == DeviceType::cpu;
    BufferHandle memory(
        shared && bytes >= kLargePage
            ? create_on_large_pages(context_.get(), bytes, status)
            : clCreateBuffer(context_.get(),
                             CL_MEM_READ_WRITE | (shared ? CL_MEM_ALLOC_HOST_PTR : 0), bytes,
                             nullptr, &status));
    TRY_DO(check("clCreateBuffer", status));
    return Buffer{std::move(memory), bytes};
}

Result<void> Device::write(const Buffer& to, std::span<const std::byte> from) const {
    return check("clEnqueueWriteBuffer",
                 clEnqueueWriteBuffer(queue_.get(), to.memory.get(), CL_TRUE, 0, from.size(),
                                      from.data(), 0, nullptr, nullptr));
}

Result<void> Device::fill(const Buffer& buffer, std::byte value) const {
    return check("clEnqueueFillBuffer",
                 clEnqueueFillBuffer(queue_.get(), buffer.memory.get(), &value, sizeof value, 0,
                                     buffer.bytes, 0, nullptr, nullptr));
}

Result<Mapping> Device::map(const Buffer& buffer) const {
    cl_int status = CL_SUCCESS;
    void* bytes =
        clEnqueueMapBuffer(queue_.get(), buffer.memory.get(), CL_TRUE, CL_MAP_READ | CL_MAP_WRITE,
                           0, buffer.bytes, 0, nullptr, nullptr, &status);
    TRY_DO(check("clEnqueueMapBuffer", status));
    return Mapping(*this, buffer, {static_cast<std::byte*>(bytes), buffer.bytes});
}

// Ordered before the next launch; a failure shows up there.
Mapping::~Mapping() {
    if (bytes_.data() == nullptr) return;
    clEnqueueUnmapMemObject(device_->queue(), buffer_->memory.get(), bytes_.data(), 0, nullptr,
                            nullptr);
}

Result<void> Device::read(const Buffer& from, std::span<std::byte> to) const {
    return check("clEnqueueReadBuffer",
                 clEnqueueReadBuffer(queue_.get(), from.memory.get(), CL_TRUE, 0, to.size(),
                                     to.data(), 0, nullptr, nullptr));
}

Result<void> Device::set_argument(const Kernel& kernel, unsigned index,
                                  const Buffer& buffer) const {
    const cl_mem memory = buffer.memory.get();
    return check("clSetKernelArg",
                 clSetKernelArg(kernel.kernel.get(), index, sizeof memory, &memory));
}

Result<void> Device::set_argument(const Kernel& kernel, unsigned index, std::uint32_t value) const {
    return check("clSetKernelArg",
                 clSetKernelArg(kernel.kernel.get(), index, sizeof value, &value));
}

Result<void> Device::set_argument(const Kernel& kernel, unsigned index, float value) const {
    return check("clSetKernelArg",
                 clSetKernelArg(kernel.kernel.get(), index, sizeof value, &value));
}

Result<void> Device::launch(const Kernel& kernel, std::size_t items, std::size_t group) const {
    return check("clEnqueueNDRangeKernel",
                 clEnqueueNDRangeKernel(queue_.get(), kernel.kernel.get(), 1, nullptr, &items,
                                        &group, 0, nullptr, nullptr));
}

Result<void> Device::finish() const { return check("clFinish", clFinish(queue_.get())); }

}  // namespace plimsoll::opencl
