#pragma once

#include "engine/base/result.hpp"

#include <filesystem>

namespace plimsoll::jobs::sentiment {

// The folder that a pull downloads into. Only one process holds it at a time, since two pulls of
// the same files would overwrite each other; the system releases it when that process dies.
class PullFolder {
  public:
    // Creates it, or continues with what an earlier pull left. Errc::conflict: another pull has it.
    static Result<PullFolder> take(std::filesystem::path path);

    PullFolder(PullFolder&& other) noexcept;
    PullFolder(const PullFolder&) = delete;
    PullFolder& operator=(const PullFolder&) = delete;
    PullFolder& operator=(PullFolder&&) = delete;
    ~PullFolder();

    const std::filesystem::path& path() const { return path_; }
    // With everything in it; without this it stays for a later pull.
    void remove() const;

  private:
    PullFolder(std::filesystem::path path, int held);

    std::filesystem::path path_;
    int held_;  // the folder, locked
};

}  // namespace plimsoll::jobs::sentiment
