// plimsoll-hasher: hashes passwords for `plimsoll serve`, which starts it and talks to it through
// its standard input, a socket.
#include "server/identity/hasher/messages.hpp"
#include "server/identity/password.hpp"

#include <array>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include <poll.h>
#include <sched.h>
#include <sodium.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

namespace {

using namespace plimsoll::identity;

using Message = std::array<char, kLongestMessage>;

// A hash takes 25 ms. Where the processors are taken, nobody has time to spare for long: there this
// process hashes, too.
constexpr std::chrono::milliseconds kIdlePatience{100};
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

// Answers the requests of a socket with `work` until it is closed. False: it broke, or a request is
// none.
template <class Work>
bool serve(int channel, Work work) {
    Message request{};
    for (;;) {
        const auto size = recv(channel, request.data(), request.size(), 0);
        if (size <= 0) return size == 0;
        const auto reply = work(std::string_view(request.data(), static_cast<std::size_t>(size)));
        sodium_memzero(request.data(), static_cast<std::size_t>(size));
        if (reply.empty() || send(channel, reply.data(), reply.size(), MSG_NOSIGNAL) < 0) {
            return false;
        }
    }
}

// A process that only runs while a processor has nothing else to do. Linux stops it at once for
// whoever wakes up; a process that is merely nice often runs until the next tick of the clock, up
// to 4 ms later, and others wait. It is no thread: those share locks on their memory, and its
// creator would wait for them.
class IdleProcess {
  public:
    IdleProcess() {
        std::array<int, 2> ends{};
        if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends.data()) != 0) return;
        channel_ = ends[0];
        if (fork() == 0) {
            close(ends[0]);  // so that it ends with its creator, who has the other one
            close(STDIN_FILENO);
            constexpr sched_param kNone{};
            sched_setscheduler(0, SCHED_IDLE, &kNone);
            serve(ends[1], answer);
            std::_Exit(0);
        }
        close(ends[1]);
    }

    // nullopt: there is no answer within this time, or still none to the last request.
    std::optional<std::string> ask(std::string_view request, std::chrono::milliseconds patience) {
        if (owes_ && !receive()) return std::nullopt;
        if (send(channel_, request.data(), request.size(), MSG_NOSIGNAL) < 0) return std::nullopt;
        owes_ = true;
        pollfd answered{.fd = channel_, .events = POLLIN, .revents = 0};
        poll(&answered, 1, static_cast<int>(patience.count()));
        return receive();
    }

  private:
    std::optional<std::string> receive() {
        Message reply{};
        const auto size = recv(channel_, reply.data(), reply.size(), MSG_DONTWAIT);
        if (size <= 0) return std::nullopt;
        owes_ = false;
        return std::string(reply.data(), static_cast<std::size_t>(size));
    }

    int channel_ = -1;
    bool owes_ = false;  // an answer
};

}  // namespace

int main() {
    setpriority(PRIO_PROCESS, 0, kNiceness);
    prctl(PR_SET_DUMPABLE, 0);  // no password in a core file
    IdleProcess idle;
    const auto work = [&idle](std::string_view request) {
        auto reply = idle.ask(request, kIdlePatience);
        return reply ? std::move(*reply) : answer(request);
    };
    if (serve(STDIN_FILENO, work)) return 0;
    std::fputs("plimsoll-hasher is started by `plimsoll serve`\n", stderr);
    return 1;
}
