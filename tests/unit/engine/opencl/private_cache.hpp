#pragma once

#include "engine/opencl/runtime/cache_directory.hpp"

#include <cstdlib>
#include <filesystem>
#include <stdexcept>
#include <string>

#include <gtest/gtest.h>

namespace plimsoll::opencl {

// A folder that is gone afterwards.
class TemporaryFolder {
  public:
    TemporaryFolder() {
        std::string path =
            (std::filesystem::temp_directory_path() / "plimsoll-cache-XXXXXX").string();
        if (mkdtemp(path.data()) == nullptr) throw std::runtime_error("no temporary folder");
        path_ = path;
    }
    ~TemporaryFolder() { std::filesystem::remove_all(path_); }
    TemporaryFolder(const TemporaryFolder&) = delete;
    TemporaryFolder& operator=(const TemporaryFolder&) = delete;

    const std::filesystem::path& path() const { return path_; }

  private:
    std::filesystem::path path_;
};

// Before the first OpenCL call, so that no test reads or writes the user's own cache. One a
// program: `const auto* const kCache = testing::AddGlobalTestEnvironment(new PrivateCache);`
class PrivateCache : public testing::Environment {
  public:
    void SetUp() override { ASSERT_TRUE(use_kernel_cache(folder_.path())); }

  private:
    TemporaryFolder folder_;
};

}  // namespace plimsoll::opencl
