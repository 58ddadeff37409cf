#include "server/client/credentials.hpp"

#include <cstdlib>
#include <cstring>
#include <fstream>

#include <fcntl.h>
#include <nlohmann/json.hpp>
#include <sys/stat.h>
#include <unistd.h>

namespace plimsoll::client {
namespace {

std::string environment(const char* name) {
    const char* value = std::getenv(name);
    return value ? value : "";
}

}  // namespace

std::filesystem::path credentials_file() {
    if (const auto file = environment("PLIMSOLL_CREDENTIALS"); !file.empty()) return file;
    std::filesystem::path folder = environment("XDG_CONFIG_HOME");
    if (folder.empty()) folder = std::filesystem::path(environment("HOME")) / ".config";
    return folder / "plimsoll" / "credentials.json";
}

Result<Credentials> load_credentials() {
    Credentials credentials{environment("PLIMSOLL_SERVER"), environment("PLIMSOLL_TOKEN")};
    if (!credentials.server.empty() && !credentials.token.empty()) return credentials;
    const auto file = credentials_file();
    std::ifstream in(file);
    const auto json = in ? nlohmann::json::parse(in, nullptr, false) : nlohmann::json();
    if (!json.is_object()) {
        return fail(
            Errc::unauthenticated,
            "Not signed in: run `plimsoll login LINK`, or set PLIMSOLL_SERVER and PLIMSOLL_TOKEN.");
    }
    if (credentials.server.empty()) credentials.server = json.value("server", "");
    if (credentials.token.empty()) credentials.token = json.value("token", "");
    return credentials;
}

Result<void> save_credentials(const Credentials& credentials) {
    const auto file = credentials_file();
    std::error_code code;
    std::filesystem::create_directories(file.parent_path(), code);
    const auto text =
        nlohmann::json{{"server", credentials.server}, {"token", credentials.token}}.dump(2) + "\n";
    const auto next = file.string() + ".new";
    const int out =
        ::open(next.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, S_IRUSR | S_IWUSR);
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

}  // namespace plimsoll::client
