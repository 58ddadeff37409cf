#pragma once

#include "engine/base/result.hpp"

#include <filesystem>
#include <map>
#include <string>
#include <string_view>

namespace plimsoll::client {

struct Credentials {
    std::string server;       // its origin: "http://127.0.0.1:7272"
    std::string token;        // is sent only to that origin
    bool allow_http = false;  // also unencrypted, to another machine
};

// The credentials of every server that this user is signed in to.
struct Wallet {
    struct Entry {
        std::string token;
        bool allow_http = false;
        bool made_by_login = false;  // issued to this command line: revoked by `plimsoll logout`
    };
    std::map<std::string, Entry, std::less<>> servers;  // by origin
    std::string current;                                // one of `servers`; empty: none
};

// Scheme, host and port of a server's address, as browsers compare origins: in lower case, without
// the default port and without the path. Errc::invalid_input: not http or https.
Result<std::string> origin_of(std::string_view address);

// The saved server with this address, or with this host, with or without the port. Errc::not_found,
// Errc::invalid_input (several): the message lists the saved ones.
Result<std::string> find_server(const Wallet& wallet, std::string_view text);

// Whether a token may be sent to it: over TLS, or to this machine. `origin` comes from origin_of().
bool is_private(std::string_view origin);

// Whether its host is localhost or a loopback address.
bool is_this_machine(std::string_view origin);

// $PLIMSOLL_CREDENTIALS, else plimsoll/credentials.json under $XDG_CONFIG_HOME or ~/.config.
std::filesystem::path credentials_file();

// Empty if there is no file. Errc::corrupt: not a credentials file.
Result<Wallet> load_wallet();
// Readable by its owner only.
Result<void> save_wallet(const Wallet& wallet);

// The server of PLIMSOLL_SERVER, else the current one, with PLIMSOLL_TOKEN or the token saved for
// that server. PLIMSOLL_ALLOW_HTTP=1 permits what `plimsoll login --allow-http` does.
// Errc::unauthenticated: there are none, or the token would be sent unencrypted to another machine.
// Errc::invalid_input: a token without its server.
Result<Credentials> load_credentials();

}  // namespace plimsoll::client
