#pragma once

#include "engine/base/watch.hpp"
#include "engine/models/manifest.hpp"

#include <filesystem>
#include <string>
#include <vector>

namespace plimsoll::models {

// The models installed on a machine: one folder each, named like the model, with the files as
// published and plimsoll.json. Folders appear and disappear by renaming, so that readers see a
// whole model or none.
class Store {
  public:
    explicit Store(std::filesystem::path folder) : folder_(std::move(folder)) {}

    const std::filesystem::path& folder() const { return folder_; }
    std::filesystem::path folder_of(const std::string& name) const { return folder_ / name; }

    // By name, without damaged ones. Reads only the manifests.
    std::vector<Manifest> list() const;

    // Errc::not_found lists the installed ones.
    Result<Manifest> find(const std::string& name) const;

    // Copies a published model's files, after reading and checking them as a job would: config,
    // tokenizer, every tensor's shape and numbers. `about` has name, source and licence. A model of
    // this name is replaced only if `replace`: Errc::conflict. Progress counts bytes.
    Result<Manifest> add(const std::filesystem::path& published, Manifest about, bool replace,
                         const Watch& watch);

    // Reads all files again and compares their hashes: Errc::corrupt names the one that differs.
    Result<Manifest> verify(const std::string& name, const Watch& watch) const;

    // Workers that use it keep it loaded. Errc::not_found.
    Result<void> remove(const std::string& name);

  private:
    std::filesystem::path folder_;
};

// A machine's model folder unless set otherwise: /var/lib/plimsoll/models for root, else
// plimsoll/models in the user's state folder.
std::filesystem::path default_folder();

// The files of a published model in a folder that are needed: config, tokenizer, weights, licence.
// With their total size.
struct PublishedFiles {
    std::vector<std::string> names;
    std::uint64_t bytes = 0;
};
PublishedFiles published_files(const std::filesystem::path& folder);

// Selects the needed files among those that are there: one form of the weights. Nothing if config,
// tokenizer or weights are missing.
std::vector<std::string> needed_files(std::vector<std::string> there);

}  // namespace plimsoll::models
