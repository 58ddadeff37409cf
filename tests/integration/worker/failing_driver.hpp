#pragma once

#include <atomic>

// OpenCL calls of this program go through failing_driver.cpp on their way to the real driver, where
// a test may have them fail.
namespace plimsoll::failing_driver {

// Every call that uses the queue fails, as on a GPU after an access out of bounds.
inline std::atomic<bool> context_is_broken{false};
// No buffer can be made.
inline std::atomic<bool> memory_is_taken{false};

}  // namespace plimsoll::failing_driver
