#pragma once

#include "engine/base/result.hpp"

#include <filesystem>
#include <map>
#include <string>
#include <string_view>

namespace plimsoll::client {

struct Credentials {
    std::string server;       // its origin: "http://127.0.0.1:7272"
    std::string token;        // is sent to that origin alone
    bool allow_http = false;  // also unencrypted, to another machine
};

// The credentials of every server that this user is signed in to.
struct Wallet {
    struct Entry {
        std::string token;
        bool allow_http = false;
        bool made_by_login = false;  // for this command line alone: revoked by `plimsoll logout`
    };
    std::map<std::string, Entry, std::less<>> servers;  // by origin
    std::string current;                                // one of `servers`; empty: none
};

// Scheme, host and port of a server's address, as browsers compare origins: in lower case, without
// the scheme's own port and what follows the host. Errc::invalid_input: not http or https.
Result<std::string> origin_of(std::string_view address);

// The saved server that people mean by its address, or by its host with or without the port.
// Errc::not_found, Errc::invalid_input (several): with the names of those there are.
Result<std::string> find_server(const Wallet& wallet, std::string_view text);

// Whether a token may go there: over TLS, or to this machine. `origin` is one of origin_of().
bool is_private(std::string_view origin);

// $PLIMSOLL_CREDENTIALS, else plimsoll/credentials.json under $XDG_CONFIG_HOME or ~/.config.
std::filesystem::path credentials_file();

// Empty when there is no file. Errc::corrupt: the file is not one of ours.
Result<Wallet> load_wallet();
// Readable by its owner only.
Result<void> save_wallet(const Wallet& wallet);

// The server of PLIMSOLL_SERVER, else the current one, with PLIMSOLL_TOKEN or what was saved for
// that very server. PLIMSOLL_ALLOW_HTTP=1 permits what `plimsoll login --allow-http` does.
// Errc::unauthenticated: there are none, or the token would go unencrypted to another machine.
// Errc::invalid_input: a token without its server.
Result<Credentials> load_credentials();

}  // namespace plimsoll::client
