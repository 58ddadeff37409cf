#pragma once

#include "engine/base/watch.hpp"
#include "server/client/download.hpp"

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace plimsoll::jobs::sentiment {

// A model as a hub publishes it. The protocol is that of huggingface.co:
// /api/models/REPOSITORY/revision/REVISION?blobs=true, /REPOSITORY/resolve/COMMIT/FILE.
struct HubModel {
    std::string repository;  // "ProsusAI/finbert"
    std::string commit;
    std::string licence;  // empty: not told
    struct File {
        std::string name;
        std::uint64_t bytes = 0;
        std::string sha256;  // empty: not told, as of small files
    };
    std::vector<File> files;  // those that are needed
    std::uint64_t bytes() const;
};

// The names of the guide and of this project: "finbert" is ProsusAI/finbert. A repository is
// itself.
std::string repository_of(const std::string& name);

// The hub that the environment names: PLIMSOLL_HUB, else HF_ENDPOINT, else https://huggingface.co;
// HF_TOKEN; PLIMSOLL_HUB_HOSTS (names that it may send us to, commas between).
Result<client::Origin> hub_of_environment();

// Errc::not_found: no such model or revision; Errc::unauthenticated or Errc::forbidden: it wants a
// token, or its terms to be accepted; Errc::invalid_input: it has no files that are supported.
Result<HubModel> find_on_hub(const client::Origin& hub, const std::string& repository,
                             const std::string& revision);

// Downloads all files into `folder`, which keeps what came of an earlier try, and compares their
// hashes. Progress counts bytes.
Result<void> fetch_from_hub(const client::Origin& hub, const HubModel& model,
                            const std::filesystem::path& folder, const Watch& watch);

}  // namespace plimsoll::jobs::sentiment
