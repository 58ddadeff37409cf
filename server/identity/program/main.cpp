// plimsoll-hasher: hashes passwords for `plimsoll serve`, which starts it and talks to it through
// its standard input, a socket.
#include "server/base/background_priority.hpp"
#include "server/identity/hasher/messages.hpp"
#include "server/identity/password.hpp"

#include <array>
#include <cstdio>
#include <string>
#include <string_view>

#include <sodium.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <unistd.h>

namespace {

using namespace plimsoll::identity;

std::string answer(std::string_view request) {
    const auto end = request.find('\0');
    if (end == std::string_view::npos) return {};
    const std::string hash(request.substr(0, end));
    const auto password = request.substr(end + 1);
    if (hash.empty()) return kSame + hash_password(password);
    if (!matches_password(hash, password)) return {kDifferent};
    return kSame + (is_outdated(hash) ? hash_password(password) : std::string());
}

std::string answer_in_background(std::string_view request) {
    const plimsoll::BackgroundPriority background_priority;
    return answer(request);
}

// Fills the memory of hashes. That cannot pause, and takes 10 ms of processor time, or 300 where a
// virtual machine gets its memory only then: too much for a thread that gives way to others.
void fill_memory() { hash_password({}); }

// Answers requests until the socket is closed. False: it broke, or a request is invalid.
bool serve() {
    fill_memory();
    std::array<char, kLongestMessage> request{};
    for (;;) {
        const auto size = recv(STDIN_FILENO, request.data(), request.size(), 0);
        if (size <= 0) return size == 0;
        const auto reply =
            answer_in_background(std::string_view(request.data(), static_cast<std::size_t>(size)));
        sodium_memzero(request.data(), static_cast<std::size_t>(size));
        if (reply.empty() || send(STDIN_FILENO, reply.data(), reply.size(), MSG_NOSIGNAL) < 0)
            return false;
    }
}

}  // namespace

int main() {
    prctl(PR_SET_DUMPABLE, 0);  // no password in a core file
    if (serve()) return 0;
    std::fputs("plimsoll-hasher is started by `plimsoll serve`\n", stderr);
    return 1;
}
