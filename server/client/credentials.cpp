#include "server/client/credentials.hpp"

#include "engine/base/json.hpp"
#include "server/base/addresses.hpp"

#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <vector>

#include <boost/asio/ip/address.hpp>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

namespace plimsoll::client {

namespace {

std::string environment(const char* name) {
    const char* value = std::getenv(name);
    return value ? value : "";
}

std::string in_lower_case(std::string text) {
    std::ranges::transform(text, text.begin(), [](unsigned char c) { return std::tolower(c); });
    return text;
}

Result<void> write_privately(const std::filesystem::path& file, const std::string& text) {
    std::error_code code;
    std::filesystem::create_directories(file.parent_path(), code);
    const auto next = file.string() + ".new";
    // Another user who can write there must not have it open, or choose its target.
    ::unlink(next.c_str());
    const int out = ::open(next.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC,
                           S_IRUSR | S_IWUSR);
    const bool written =
        out >= 0 && ::write(out, text.data(), text.size()) == static_cast<ssize_t>(text.size());
    const int error = errno;
    if (out >= 0) ::close(out);
    if (!written || ::rename(next.c_str(), file.c_str()) != 0) {
        return fail(Errc::unavailable,
                    "The credentials cannot be written: " +
                        std::string(std::strerror(written ? errno : error)) + ".",
                    file.string());
    }
    return {};
}

std::string names_of(const Wallet& wallet) {
    std::string names;
    for (const auto& [server, entry] : wallet.servers)
        names += (names.empty() ? "" : ", ") + server;
    return names;
}

Error not_signed_in(const Wallet& wallet, const std::string& server) {
    if (server.empty()) {
        return {Errc::unauthenticated,
                wallet.servers.empty()
                    ? "Not signed in: run `plimsoll login LINK` with a link that `plimsoll admin "
                      "sign-in-link` prints where the server runs, or set PLIMSOLL_SERVER and "
                      "PLIMSOLL_TOKEN."
                    : "No server is chosen: run `plimsoll use SERVER`; signed in to: " +
                          names_of(wallet) + ".",
                {}};
    }
    return {Errc::unauthenticated,
            "Not signed in to " + server + ": run `plimsoll login LINK`, or set PLIMSOLL_TOKEN.",
            {}};
}

}  // namespace

Result<std::string> origin_of(std::string_view address) {
    const auto url = parse_url(address);
    const auto scheme = url ? url->scheme_id() : boost::urls::scheme::none;
    const bool tls = scheme == boost::urls::scheme::https;
    if ((scheme != boost::urls::scheme::http && !tls) || url->host().empty()) {
        return fail(Errc::invalid_input, "The server must be a URL like https://host:port, not \"" +
                                             std::string(address) + "\".");
    }
    std::string origin =
        (tls ? "https://" : "http://") + in_lower_case(std::string(url->encoded_host()));
    if (url->has_port() && !url->port().empty() && url->port() != (tls ? "443" : "80"))
        origin += ":" + std::string(url->port());
    return origin;
}

Result<std::string> find_server(const Wallet& wallet, std::string_view text) {
    if (const auto origin = origin_of(text); origin && wallet.servers.contains(*origin))
        return *origin;
    const std::string wanted = in_lower_case(std::string(text));
    std::string known;
    std::vector<std::string> fitting;
    for (const auto& [origin, entry] : wallet.servers) {
        known += (known.empty() ? "" : ", ") + origin;
        const auto host = origin.substr(origin.find("://") + 3);
        const bool without_port = host.starts_with(wanted) && host[wanted.size()] == ':';
        if (host == wanted || without_port) fitting.push_back(origin);
    }
    if (fitting.size() == 1) return fitting.front();
    if (fitting.size() > 1) {
        return fail(Errc::invalid_input, "Several servers are called \"" + std::string(text) +
                                             "\": name one as listed: " + known + ".");
    }
    return fail(Errc::not_found, "Not signed in to \"" + std::string(text) + "\"" +
                                     (known.empty() ? "." : "; signed in to: " + known + "."));
}

bool is_private(std::string_view origin) {
    const auto url = parse_url(origin);
    return url && (url->scheme() == "https" || is_this_machine(origin));
}

bool is_this_machine(std::string_view origin) {
    const auto url = parse_url(origin);
    if (!url) return false;
    const std::string host = url->host_address();
    if (host == "localhost" || host.ends_with(".localhost")) return true;
    boost::system::error_code error;
    const auto address = boost::asio::ip::make_address(host, error);
    return !error && address.is_loopback();
}

std::filesystem::path credentials_file() {
    if (const auto file = environment("PLIMSOLL_CREDENTIALS"); !file.empty()) return file;
    std::filesystem::path folder = environment("XDG_CONFIG_HOME");
    if (folder.empty()) folder = std::filesystem::path(environment("HOME")) / ".config";
    return folder / "plimsoll" / "credentials.json";
}

Result<Wallet> load_wallet() {
    Wallet wallet;
    const auto file = credentials_file();
    std::ifstream in(file);
    if (!in) return wallet;
    const auto content = json::parse(in, nullptr, false);
    try {
        for (const auto& [server, entry] : content.at("servers").items()) {
            wallet.servers[server] = {entry.at("token").get<std::string>(),
                                      entry.value("allow_http", false),
                                      entry.value("made_by_login", false)};
        }
        wallet.current = content.value("current", "");
    } catch (const json::exception&) {
        return fail(Errc::corrupt,
                    "Cannot read the saved credentials: remove the file and sign in again.",
                    file.string());
    }
    return wallet;
}

Result<void> save_wallet(const Wallet& wallet) {
    json servers = json::object();
    for (const auto& [server, entry] : wallet.servers) {
        servers[server] = {{"token", entry.token},
                           {"allow_http", entry.allow_http},
                           {"made_by_login", entry.made_by_login}};
    }
    const json content{{"current", wallet.current}, {"servers", std::move(servers)}};
    return write_privately(credentials_file(), content.dump(2) + "\n");
}

Result<Credentials> load_credentials() {
    Credentials credentials{{}, environment("PLIMSOLL_TOKEN"), false};
    if (const auto named = environment("PLIMSOLL_SERVER"); !named.empty()) {
        TRY(credentials.server, origin_of(named));
    } else if (!credentials.token.empty()) {
        return fail(Errc::invalid_input, "PLIMSOLL_TOKEN also needs PLIMSOLL_SERVER.");
    }
    // With both given, nothing of the file matters.
    if (credentials.token.empty()) {
        TRY(const auto wallet, load_wallet());
        if (credentials.server.empty()) credentials.server = wallet.current;
        const auto saved = wallet.servers.find(credentials.server);
        if (saved == wallet.servers.end()) return fail(not_signed_in(wallet, credentials.server));
        credentials.token = saved->second.token;
        credentials.allow_http = saved->second.allow_http;
    }
    if (environment("PLIMSOLL_ALLOW_HTTP") == "1") credentials.allow_http = true;
    if (!credentials.allow_http && !is_private(credentials.server)) {
        return fail(Errc::unauthenticated,
                    credentials.server +
                        " is another machine, and plain HTTP would expose the token: use https://, "
                        "or set PLIMSOLL_ALLOW_HTTP=1.");
    }
    return credentials;
}

}  // namespace plimsoll::client
