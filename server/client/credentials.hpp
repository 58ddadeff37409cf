#pragma once

#include "engine/base/result.hpp"

#include <filesystem>
#include <string>

namespace plimsoll::client {

struct Credentials {
    std::string server;  // "http://127.0.0.1:7272"
    std::string token;
};

// $PLIMSOLL_CREDENTIALS, else plimsoll/credentials.json under $XDG_CONFIG_HOME or ~/.config.
std::filesystem::path credentials_file();

// PLIMSOLL_SERVER and PLIMSOLL_TOKEN, else the file that `plimsoll login` wrote.
// Errc::unauthenticated when there are none.
Result<Credentials> load_credentials();

// Readable by its owner only.
Result<void> save_credentials(const Credentials& credentials);

}  // namespace plimsoll::client
