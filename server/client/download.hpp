#pragma once

#include "engine/base/result.hpp"
#include "engine/base/watch.hpp"

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace plimsoll::client {

// Where files may come from.
struct Origin {
    std::string server;  // "https://host"; the only one that gets the token
    std::string token;   // empty: none
    // Names of other hosts that it may send us to, and all names below them. By https, at public
    // addresses alone.
    std::vector<std::string> redirects;
};

struct RemoteFile {
    std::string target;       // "/…" on the origin
    std::uint64_t bytes = 0;  // that it must have
};

// Downloads a file to `path`, by way of `path`.part, where a download goes on that was broken off.
// Progress counts the bytes that come. Errc::corrupt: it is longer, and nothing is kept, or we are
// sent elsewhere than we may go; Errc::unauthenticated, forbidden, not_found: the server's answer;
// Errc::unavailable: the connection broke or the disk is full, and what came is kept;
// Errc::cancelled.
Result<void> download(const Origin& origin, const RemoteFile& file,
                      const std::filesystem::path& path, const Watch& watch);

// The text of a short answer, at most `most` bytes.
Result<std::string> download_text(const Origin& origin, const std::string& target,
                                  std::size_t most);

}  // namespace plimsoll::client
