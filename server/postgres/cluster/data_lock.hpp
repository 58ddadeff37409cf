#pragma once

#include "engine/base/result.hpp"

#include <filesystem>
#include <optional>
#include <string>

namespace plimsoll::postgres {

// One process at a time uses a data directory: the holder of the locks on it and on its file
// serve.lock, which says where that process serves.
class DataLock {
  public:
    // Error messages are sentences for the user.
    static Result<DataLock> take(const std::filesystem::path& base);

    DataLock(DataLock&& other) noexcept;
    DataLock& operator=(DataLock&&) = delete;
    ~DataLock();

    // "http://127.0.0.1:7272"
    void set_address(const std::string& address) const;

  private:
    DataLock(int descriptor, int folder) : descriptor_(descriptor), folder_(folder) {}

    int descriptor_;  // negative once moved from, as is the folder's
    int folder_;
};

// The address of the process that uses the directory; none if nobody does or it does not serve yet.
std::optional<std::string> served_address(const std::filesystem::path& base);

}  // namespace plimsoll::postgres
