#include "engine/opencl/memory/ledger.hpp"

#include <cstdint>
#include <memory>

#include <sys/mman.h>
#include <unistd.h>

namespace plimsoll::opencl {
namespace {

std::size_t rounded_up(std::size_t bytes, std::size_t unit) {
    return (bytes + unit - 1) / unit * unit;
}

// Memory aligned to a large page. A remainder at its end uses small pages.
class Pages {
  public:
    explicit Pages(std::size_t bytes)
        : bytes_(rounded_up(bytes, static_cast<std::size_t>(sysconf(_SC_PAGESIZE)))) {
        const std::size_t with_room = bytes_ + kLargePage;
        void* const taken =
            mmap(nullptr, with_room, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        if (taken == MAP_FAILED) return;
        const auto address = reinterpret_cast<std::uintptr_t>(taken);
        const auto before = rounded_up(address, kLargePage) - address;
        start_ = static_cast<std::byte*>(taken) + before;
        if (before > 0) munmap(taken, before);
        if (before < kLargePage) munmap(start_ + bytes_, kLargePage - before);
        madvise(start_, bytes_, MADV_HUGEPAGE);  // a hint: failure is harmless
    }
    ~Pages() {
        if (start_ != nullptr) munmap(start_, bytes_);
    }
    Pages(const Pages&) = delete;
    Pages& operator=(const Pages&) = delete;

    void* start() const { return start_; }

  private:
    std::size_t bytes_;
    std::byte* start_ = nullptr;
};

void CL_CALLBACK let_go(cl_mem, void* pages) { delete static_cast<Pages*>(pages); }

}  // namespace

cl_mem create_on_large_pages(cl_context context, std::size_t bytes, cl_int& status) {
    auto pages = std::make_unique<Pages>(bytes);
    if (pages->start() == nullptr) {
        status = CL_OUT_OF_HOST_MEMORY;
        return nullptr;
    }
    auto* const memory = clCreateBuffer(context, CL_MEM_READ_WRITE | CL_MEM_USE_HOST_PTR, bytes,
                                        pages->start(), &status);
    if (status != CL_SUCCESS) return nullptr;
    status = clSetMemObjectDestructorCallback(memory, let_go, pages.get());
    if (status != CL_SUCCESS) {
        clReleaseMemObject(memory);
        return nullptr;
    }
    pages.release();
    return memory;
}

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
