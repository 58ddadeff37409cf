#include "engine/opencl/memory/ledger.hpp"

namespace plimsoll::opencl {

Result<Ledger::Entry> Ledger::enter(std::uint64_t bytes, const std::string& purpose) {
    if (bytes > free()) {
        return fail(Errc::exhausted,
                    "Not enough device memory: " + std::to_string(bytes) + " bytes requested, " +
                        std::to_string(free()) + " of " + std::to_string(limit()) + " left.",
                    purpose);
    }
    balance_->used += bytes;
    return Entry(balance_, bytes);
}

}  // namespace plimsoll::opencl
