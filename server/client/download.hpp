#pragma once

#include "engine/base/result.hpp"
#include "engine/base/watch.hpp"

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace plimsoll::client {

// Allowed sources of a file.
struct Origin {
    std::string server;  // "https://host"; the only one that gets the token
    std::string token;   // empty: none
    // Other hosts that it may redirect to, including their subdomains: over https, at public
    // addresses only.
    std::vector<std::string> redirects;
};

struct RemoteFile {
    std::string target;       // "/…" on the origin
    std::uint64_t bytes = 0;  // expected
};

// Downloads a file to `path` through `path`.part, from which an interrupted download resumes.
// Progress counts received bytes. Errc::corrupt: the file is too long, and nothing is kept, or a
// redirect is not allowed; Errc::unauthenticated, forbidden, not_found: the server's response;
// Errc::unavailable: the connection broke, and what was received is kept; Errc::exhausted: the disk
// is full, and nothing is kept; Errc::cancelled.
Result<void> download(const Origin& origin, const RemoteFile& file,
                      const std::filesystem::path& path, const Watch& watch);

// The text of a short response, at most `max` bytes.
Result<std::string> download_text(const Origin& origin, const std::string& target, std::size_t max);

}  // namespace plimsoll::client
