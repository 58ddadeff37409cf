#include "engine/opencl/runtime/answer_check.hpp"

#include <numeric>
#include <span>
#include <utility>

namespace plimsoll::opencl {

Result<AnswerCheck> AnswerCheck::make(const Device& device) {
    TRY(auto buffer, device.allocate(sizeof(Numbers)));
    AnswerCheck check(device, std::move(buffer));
    // Many drivers allocate at first use.
    TRY_DO(check.run());
    return check;
}

Result<void> AnswerCheck::run() {
    // Earlier launches that failed silently report their error here.
    TRY_DO(device_->finish());
    Numbers written;
    std::iota(written.begin(), written.end(), last_ + 1);
    last_ = written.back();
    TRY_DO(device_->write(buffer_, std::as_bytes(std::span(written))));
    Numbers read{};
    if (auto done = device_->read(buffer_, std::as_writable_bytes(std::span(read))); !done)
        return done;
    if (read == written) return {};
    return fail(Errc::corrupt, "The device does not return the data written to it.",
                to_string(device_->info().address));
}

}  // namespace plimsoll::opencl
