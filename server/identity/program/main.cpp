// plimsoll-hasher: hashes passwords for `plimsoll serve`, which starts it and talks to it through
// its standard input, a socket.
#include "server/identity/hasher/messages.hpp"
#include "server/identity/password.hpp"

#include <array>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <ctime>
#include <string>
#include <string_view>

#include <sodium.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/select.h>
#include <sys/socket.h>
#include <unistd.h>

namespace {

using namespace plimsoll::identity;

constexpr int kNiceness = 10;

std::string answer(std::string_view request) {
    const auto end = request.find('\0');
    if (end == std::string_view::npos) return {};
    const std::string hash(request.substr(0, end));
    const auto password = request.substr(end + 1);
    if (hash.empty()) return kSame + hash_password(password);
    if (!matches_password(hash, password)) return {kDifferent};
    return kSame + (is_outdated(hash) ? hash_password(password) : std::string());
}

timer_t pauses;

void begin_to_run() {
    constexpr itimerspec kRun{.it_interval = {}, .it_value = {.tv_sec = 0, .tv_nsec = 200'000}};
    timer_settime(pauses, 0, &kRun, nullptr);
}

// Interrupts the hash.
void pause_a_moment(int) {
    const int before = errno;
    constexpr timespec kPause{.tv_sec = 0, .tv_nsec = 50'000};
    pselect(0, nullptr, nullptr, nullptr, &kPause, nullptr);
    begin_to_run();
    errno = before;
}

// A program that is merely nice often runs until the next tick of the clock, up to 4 ms, while
// somebody waits, and so does one of SCHED_IDLE: Linux compares sessions and services first. One
// that sleeps gives its processor to whoever wants it.
bool prepare_pauses() {
    struct sigaction handled{};
    handled.sa_handler = pause_a_moment;
    handled.sa_flags = SA_RESTART;
    if (sigaction(SIGALRM, &handled, nullptr) != 0) return false;
    prctl(PR_SET_TIMERSLACK, 1000UL);  // ns, of the pauses
    return timer_create(CLOCK_MONOTONIC, nullptr, &pauses) == 0;
}

std::string answer_with_pauses(std::string_view request) {
    begin_to_run();
    auto reply = answer(request);
    constexpr itimerspec kNever{};
    timer_settime(pauses, 0, &kNever, nullptr);
    return reply;
}

// Answers requests until the socket is closed. False: it broke, or a request is none.
bool serve() {
    std::array<char, kLongestMessage> request{};
    for (;;) {
        const auto size = recv(STDIN_FILENO, request.data(), request.size(), 0);
        if (size <= 0) return size == 0;
        const auto reply =
            answer_with_pauses(std::string_view(request.data(), static_cast<std::size_t>(size)));
        sodium_memzero(request.data(), static_cast<std::size_t>(size));
        if (reply.empty() || send(STDIN_FILENO, reply.data(), reply.size(), MSG_NOSIGNAL) < 0) {
            return false;
        }
    }
}

}  // namespace

int main() {
    setpriority(PRIO_PROCESS, 0, kNiceness);
    prctl(PR_SET_DUMPABLE, 0);  // no password in a core file
    if (prepare_pauses() && serve()) return 0;
    std::fputs("plimsoll-hasher is started by `plimsoll serve`\n", stderr);
    return 1;
}
