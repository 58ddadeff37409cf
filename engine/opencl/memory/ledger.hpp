#pragma once

#include "engine/base/result.hpp"

#include <atomic>
#include <cstdint>
#include <memory>
#include <string>

namespace plimsoll::opencl {

// What may be taken of a device's memory, and what is taken. Drivers hand out more than there is
// (PoCL always, NVIDIA's until the memory is used): nothing but this book keeps us inside it. One
// thread makes entries; others may read it.
class Ledger {
    struct Book {
        explicit Book(std::uint64_t bytes) : limit(bytes) {}
        const std::uint64_t limit;
        std::atomic<std::uint64_t> used = 0;
    };

  public:
    // Bytes entered in the book, until destroyed.
    class Entry {
      public:
        Entry(Entry&& other) noexcept = default;
        Entry& operator=(Entry&&) = delete;
        ~Entry() {
            if (book_) book_->used -= bytes_;
        }
        std::uint64_t bytes() const { return bytes_; }

      private:
        friend class Ledger;
        Entry(std::shared_ptr<Book> book, std::uint64_t bytes)
            : book_(std::move(book)), bytes_(bytes) {}
        std::shared_ptr<Book> book_;
        std::uint64_t bytes_;
    };

    explicit Ledger(std::uint64_t limit_bytes) : book_(std::make_shared<Book>(limit_bytes)) {}

    // Errc::exhausted, with what was asked for and what is left, when it does not fit.
    Result<Entry> enter(std::uint64_t bytes, const std::string& purpose);

    std::uint64_t limit() const { return book_->limit; }
    std::uint64_t used() const { return book_->used; }
    std::uint64_t free() const { return book_->limit - book_->used; }

  private:
    std::shared_ptr<Book> book_;
};

}  // namespace plimsoll::opencl
