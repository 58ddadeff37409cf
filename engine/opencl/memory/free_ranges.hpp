#pragma once

#include <cstdint>
#include <map>
#include <optional>

namespace plimsoll::opencl {

// The free parts of one block: first fit, neighbours joined when given back.
class FreeRanges {
  public:
    struct Range {
        std::uint64_t offset = 0;
        std::uint64_t bytes = 0;
    };

    explicit FreeRanges(std::uint64_t bytes) : free_(bytes) {
        if (bytes > 0) ranges_.emplace(0, bytes);
    }

    std::optional<Range> take(std::uint64_t bytes);
    void give_back(Range range);

    std::uint64_t free() const { return free_; }
    std::uint64_t largest() const;

  private:
    std::map<std::uint64_t, std::uint64_t> ranges_;  // bytes by offset
    std::uint64_t free_;
};

}  // namespace plimsoll::opencl
