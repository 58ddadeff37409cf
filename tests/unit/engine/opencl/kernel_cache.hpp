#pragma once

#include "engine/opencl/runtime/cache_directory.hpp"
#include "tests/unit/engine/temporary_folder.hpp"

#include <cstdlib>

#include <gtest/gtest.h>

namespace plimsoll::opencl {

using plimsoll::TemporaryFolder;

// Before the first OpenCL call, so that no test reads or writes the user's own cache: in the folder
// $PLIMSOLL_TEST_CACHE, which the test programs of a build share, since most of their time goes to
// compiling the same kernels; without it, in one of its own. One per program:
// `const auto* const kCache = testing::AddGlobalTestEnvironment(new KernelCache);`
class KernelCache : public testing::Environment {
  public:
    void SetUp() override {
        const char* const shared = std::getenv("PLIMSOLL_TEST_CACHE");
        ASSERT_TRUE(use_kernel_cache(shared != nullptr ? shared : own_.path()));
    }

  private:
    TemporaryFolder own_;
};

}  // namespace plimsoll::opencl
