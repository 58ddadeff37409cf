#include "engine/opencl/runtime/transfers.hpp"

#include "engine/opencl/calls/status.hpp"

#include <algorithm>
#include <cstring>

namespace plimsoll::opencl {

namespace {

Result<void> checked(std::string_view call, cl_int status) {
    if (status == CL_SUCCESS) return {};
    return fail(status_error(call, status));
}

}  // namespace

Transfers::Mode Transfers::mode_for(const DeviceInfo& info) {
    return has_own_memory(info) ? Mode::staged : Mode::mapped;
}

Result<Transfers> Transfers::create(const Device& device, Mode mode, std::size_t piece_bytes) {
    Transfers transfers(device);
    if (mode == Mode::mapped) return transfers;
    cl_int status = CL_SUCCESS;
    transfers.queue_ = QueueHandle(clCreateCommandQueue(device.context(), device.id(), 0, &status));
    TRY_DO(checked("clCreateCommandQueue", status));
    for (auto& piece : transfers.pieces_) {
        piece.buffer.memory =
            BufferHandle(clCreateBuffer(device.context(), CL_MEM_READ_ONLY | CL_MEM_ALLOC_HOST_PTR,
                                        piece_bytes, nullptr, &status));
        TRY_DO(checked("clCreateBuffer", status));
        piece.buffer.bytes = piece_bytes;
        void* pinned =
            clEnqueueMapBuffer(transfers.queue_.get(), piece.buffer.memory.get(), CL_TRUE,
                               CL_MAP_WRITE, 0, piece_bytes, 0, nullptr, nullptr, &status);
        TRY_DO(checked("clEnqueueMapBuffer", status));
        piece.bytes = {static_cast<std::byte*>(pinned), piece_bytes};
    }
    return transfers;
}

Transfers::~Transfers() {
    if (queue_.get() != nullptr) clFinish(queue_.get());
}

Result<void> Transfers::upload(const Buffer& to, std::span<const std::byte> from) {
    if (queue_.get() != nullptr) return stage(to, from);
    TRY(auto mapped, device_->map(to));
    std::memcpy(mapped.bytes().data(), from.data(), from.size());
    return {};
}

Result<void> Transfers::stage(const Buffer& to, std::span<const std::byte> from) {
    // The copies wait for work that may still read the old bytes.
    cl_event launched = nullptr;
    if (auto ok = checked("clEnqueueMarkerWithWaitList",
                          clEnqueueMarkerWithWaitList(device_->queue(), 0, nullptr, &launched));
        !ok) {
        return ok;
    }
    const EventHandle before(launched);
    clFlush(device_->queue());
    for (std::size_t offset = 0; offset < from.size();) {
        auto& piece = pieces_[next_++ % pieces_.size()];
        if (const cl_event busy = piece.busy.get(); busy != nullptr) {
            TRY_DO(checked("clWaitForEvents", clWaitForEvents(1, &busy)));
        }
        const auto count = std::min(piece.bytes.size(), from.size() - offset);
        std::memcpy(piece.bytes.data(), from.data() + offset, count);
        cl_event copied = nullptr;
        const cl_int status =
            clEnqueueWriteBuffer(queue_.get(), to.memory.get(), CL_FALSE, offset, count,
                                 piece.bytes.data(), 1, &launched, &copied);
        TRY_DO(checked("clEnqueueWriteBuffer", status));
        piece.busy = EventHandle(copied);
        clRetainEvent(copied);
        last_ = EventHandle(copied);
        offset += count;
    }
    return checked("clFlush", clFlush(queue_.get()));
}

Result<void> Transfers::arrive() {
    const cl_event last = last_.get();
    if (last == nullptr) return {};
    auto ok = checked("clEnqueueBarrierWithWaitList",
                      clEnqueueBarrierWithWaitList(device_->queue(), 1, &last, nullptr));
    last_ = EventHandle();
    return ok;
}

}  // namespace plimsoll::opencl
