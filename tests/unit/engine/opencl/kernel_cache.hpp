#pragma once

#include "engine/opencl/runtime/cache_directory.hpp"
#include "tests/unit/engine/temporary_folder.hpp"

#include <gtest/gtest.h>

namespace plimsoll::opencl {

using plimsoll::TemporaryFolder;

// Before the first OpenCL call, so that no test reads or writes the user's own cache. One per
// program: `const auto* const kCache = testing::AddGlobalTestEnvironment(new PrivateCache);`
class PrivateCache : public testing::Environment {
  public:
    void SetUp() override { ASSERT_TRUE(use_kernel_cache(folder_.path())); }

  private:
    TemporaryFolder folder_;
};

}  // namespace plimsoll::opencl
