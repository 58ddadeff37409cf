#pragma once

#include "engine/base/result.hpp"
#include "engine/base/watch.hpp"
#include "server/client/download.hpp"

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

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

// A model as a hub publishes it. The protocol is that of huggingface.co:
// /api/models/REPOSITORY/revision/REVISION?blobs=true, /REPOSITORY/resolve/COMMIT/FILE.
struct HubModel {
    std::string repository;  // "ProsusAI/finbert"
    std::string commit;
    std::string licence;  // empty: unknown
    struct File {
        std::string name;
        std::uint64_t bytes = 0;
        std::string sha256;  // empty: unknown, as for small files
    };
    std::vector<File> files;  // the required ones
    std::uint64_t bytes() const;
};

// Expands short names of the guide and of this project: "finbert" is ProsusAI/finbert. A repository
// name is returned as it is.
std::string repository_of(const std::string& name);

// The hub from the environment: PLIMSOLL_HUB, else HF_ENDPOINT, else https://huggingface.co;
// HF_TOKEN; PLIMSOLL_HUB_HOSTS (hosts it may redirect to, separated by commas).
Result<client::Origin> hub_of_environment();

// Errc::not_found: no such model or revision; Errc::unauthenticated or Errc::forbidden: it requires
// a token, or accepting its terms; Errc::invalid_input: it has no supported files.
Result<HubModel> find_on_hub(const client::Origin& hub, const std::string& repository,
                             const std::string& revision);

// Downloads all files into `folder`, where partial downloads of earlier attempts are kept, and
// compares their hashes. Progress counts bytes.
Result<void> fetch_from_hub(const client::Origin& hub, const HubModel& model,
                            const std::filesystem::path& folder, const Watch& watch);

}  // namespace plimsoll::jobs::sentiment
