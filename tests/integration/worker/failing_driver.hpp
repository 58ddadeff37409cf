#pragma once

#include <atomic>

// This program's OpenCL calls pass through failing_driver.cpp on their way to the real driver,
// where a test may make them fail.
namespace plimsoll::failing_driver {

// Every call that uses the queue fails, as on a GPU after an out-of-bounds access.
inline std::atomic<bool> context_is_broken{false};
// No buffer can be created.
inline std::atomic<bool> memory_is_taken{false};

}  // namespace plimsoll::failing_driver
