#include "engine/opencl/memory/arena.hpp"

#include <algorithm>

namespace plimsoll::opencl {

namespace {

constexpr std::uint64_t kLargestBlock = std::uint64_t{1} << 30;

std::uint64_t rounded_up(std::uint64_t bytes, std::uint64_t unit) {
    return (bytes + unit - 1) / unit * unit;
}

}  // namespace

Result<Arena> Arena::create(const Device& device, Ledger& ledger, std::uint64_t bytes,
                            const std::string& purpose) {
    const auto unit = device.alignment();
    const auto largest = std::min(kLargestBlock, device.info().max_allocation_bytes / unit * unit);
    auto state = std::make_unique<State>(State{device, {}, {}});
    auto entry = ledger.enter(rounded_up(bytes, unit), purpose);
    if (!entry) return fail(entry.error());
    for (auto left = entry->bytes(); left > 0;) {
        const auto size = std::min(left, largest);
        auto buffer = device.allocate(size);
        if (!buffer) return fail(buffer.error());
        if (auto touched = device.fill(*buffer, std::byte{0}); !touched) {
            return fail(touched.error());
        }
        state->blocks.push_back({std::move(*buffer), FreeRanges(size)});
        left -= size;
    }
    state->entries.push_back(std::move(*entry));
    if (auto done = device.finish(); !done) return fail(done.error());
    return Arena(std::move(state));
}

Result<Arena::Slice> Arena::take(std::size_t bytes) {
    const auto size = rounded_up(bytes, state_->device.alignment());
    for (std::size_t i = 0; i < state_->blocks.size(); ++i) {
        auto& block = state_->blocks[i];
        const auto range = block.free.take(size);
        if (!range) continue;
        auto buffer = state_->device.part_of(block.buffer, range->offset, bytes);
        if (buffer) return Slice(*state_, i, *range, std::move(*buffer));
        block.free.give_back(*range);
        return fail(buffer.error());
    }
    return fail(Errc::exhausted, "No " + std::to_string(bytes) +
                                     " bytes are left in one piece; the largest has " +
                                     std::to_string(largest_free()) + ".");
}

Arena::Slice::~Slice() {
    if (state_ != nullptr) state_->blocks[block_].free.give_back(range_);
}

std::uint64_t Arena::capacity() const {
    std::uint64_t sum = 0;
    for (const auto& block : state_->blocks) sum += block.buffer.bytes;
    return sum;
}

std::uint64_t Arena::free() const {
    std::uint64_t sum = 0;
    for (const auto& block : state_->blocks) sum += block.free.free();
    return sum;
}

std::uint64_t Arena::largest_free() const {
    std::uint64_t most = 0;
    for (const auto& block : state_->blocks) most = std::max(most, block.free.largest());
    return most;
}

Admission admit(const Arena& arena, std::uint64_t predicted_bytes) {
    if (predicted_bytes <= arena.free()) return Admission::run;
    return predicted_bytes <= arena.capacity() ? Admission::wait : Admission::split;
}

}  // namespace plimsoll::opencl
