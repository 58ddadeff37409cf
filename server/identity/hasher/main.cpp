// plimsoll-hasher: hashes passwords for `plimsoll serve`, which starts it and talks to it through
// its standard input, a socket.
#include "server/identity/hasher/messages.hpp"
#include "server/identity/password.hpp"

#include <array>
#include <cstdint>
#include <cstdio>
#include <string>
#include <string_view>

#include <sched.h>
#include <sodium.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace {

using namespace plimsoll::identity;

// Requests that need no password come first. A program that is merely nice still finishes its slice
// before one that wakes up runs, so its slices are the shortest there are (Linux 6.12; before, the
// kernel ignores that).
void give_way() {
    constexpr int kNiceness = 10;
    constexpr std::uint64_t kSlice = 100'000;  // ns
    setpriority(PRIO_PROCESS, 0, kNiceness);
    // sched_setattr(2), first version; the C library has no declaration.
    struct {
        std::uint32_t size = 48;
        std::uint32_t policy = SCHED_OTHER;
        std::uint64_t flags = 0;
        std::int32_t nice = kNiceness;
        std::uint32_t priority = 0;
        std::uint64_t runtime = kSlice;
        std::uint64_t deadline = 0;
        std::uint64_t period = 0;
    } wanted;
    static_assert(sizeof wanted == 48);
    syscall(SYS_sched_setattr, 0, &wanted, 0);
}

std::string answer(std::string_view request) {
    const auto end = request.find('\0');
    if (end == std::string_view::npos) return {};
    const std::string hash(request.substr(0, end));
    const auto password = request.substr(end + 1);
    if (hash.empty()) return kSame + hash_password(password);
    if (!matches_password(hash, password)) return {kDifferent};
    return kSame + (is_outdated(hash) ? hash_password(password) : std::string());
}

}  // namespace

int main() {
    give_way();
    prctl(PR_SET_DUMPABLE, 0);  // no password in a core file
    std::array<char, kLongestMessage> request{};
    for (;;) {
        const auto size = recv(STDIN_FILENO, request.data(), request.size(), 0);
        if (size == 0) return 0;
        if (size < 0) {
            std::perror("plimsoll-hasher is started by `plimsoll serve`");
            return 1;
        }
        const auto reply = answer({request.data(), static_cast<std::size_t>(size)});
        sodium_memzero(request.data(), static_cast<std::size_t>(size));
        if (reply.empty() || send(STDIN_FILENO, reply.data(), reply.size(), MSG_NOSIGNAL) < 0) {
            return 1;
        }
    }
}
