#pragma once

#include "engine/base/result.hpp"
#include "engine/opencl/calls/cl.hpp"

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

namespace plimsoll::opencl {

// From this size up, large pages pay off: it is the size of Linux's huge pages on x86-64. With
// small pages a kernel that walks rows kilobytes apart stalls on TLB misses.
inline constexpr std::size_t kLargePage = std::size_t{1} << 21;

// A buffer that host and device share without copying, in host memory advised to use huge pages
// (madvise); the kernel provides them if available. The memory is freed with the last reference to
// the buffer. Returns null and sets `status` like clCreateBuffer; CL_OUT_OF_HOST_MEMORY when the
// host allocation fails. For CPU devices only.
cl_mem create_on_large_pages(cl_context context, std::size_t bytes, cl_int& status);

// The ledger of a device's memory: its limit in bytes and what is allocated. Drivers overcommit
// (PoCL always, NVIDIA's until the memory is touched), so only this ledger keeps us within the
// limit. One thread makes entries; any thread may read the totals.
class Ledger {
    struct Balance {
        explicit Balance(std::uint64_t bytes) : limit(bytes) {}
        const std::uint64_t limit;
        std::atomic<std::uint64_t> used = 0;
    };

  public:
    // An allocation of some bytes; its destructor returns them.
    class Entry {
      public:
        Entry(Entry&& other) noexcept = default;
        Entry& operator=(Entry&&) = delete;
        ~Entry() {
            if (balance_) balance_->used -= bytes_;
        }
        std::uint64_t bytes() const { return bytes_; }

      private:
        friend class Ledger;
        Entry(std::shared_ptr<Balance> balance, std::uint64_t bytes)
            : balance_(std::move(balance)), bytes_(bytes) {}
        std::shared_ptr<Balance> balance_;
        std::uint64_t bytes_;
    };

    explicit Ledger(std::uint64_t limit_bytes) : balance_(std::make_shared<Balance>(limit_bytes)) {}

    // Records an allocation. Errc::exhausted, with the bytes requested and left, when it does not
    // fit.
    Result<Entry> enter(std::uint64_t bytes, const std::string& purpose);

    std::uint64_t limit() const { return balance_->limit; }
    std::uint64_t used() const { return balance_->used; }
    std::uint64_t free() const { return balance_->limit - balance_->used; }

  private:
    std::shared_ptr<Balance> balance_;
};

}  // namespace plimsoll::opencl
