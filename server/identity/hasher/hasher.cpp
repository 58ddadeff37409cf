#include "server/identity/hasher/hasher.hpp"

#include "server/base/log.hpp"
#include "server/base/programs/spawn.hpp"
#include "server/identity/hasher/messages.hpp"

#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>

#include <sodium.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

namespace plimsoll::identity {

using Clock = std::chrono::steady_clock;

Result<std::string> Hasher::hash(std::string_view password) {
    TRY(auto answer, ask({}, password));
    return answer.substr(1);
}

Result<Hasher::Comparison> Hasher::compare(std::string_view hash, std::string_view password) {
    TRY(const auto answer, ask(hash, password));
    return Comparison{answer.front() == kSame, answer.substr(1)};
}

// Retries once if the program died, which may have happened long ago.
Result<std::string> Hasher::ask(std::string_view hash, std::string_view password) {
    std::string request(hash);
    request.push_back('\0');
    request += password;
    std::optional<std::string> answer;
    if (request.size() <= kLongestMessage && !is_pausing()) {
        if (channel_ >= 0) answer = exchange(request);
        if (!answer && !is_pausing()) {
            stop();
            if (start()) answer = exchange(request);
        }
    }
    sodium_memzero(request.data(), request.size());
    if (answer) return std::move(*answer);
    return fail(Errc::unavailable, "Passwords cannot be checked at the moment.");
}

bool Hasher::is_pausing() const { return hung_at_ && Clock::now() < *hung_at_ + patience_.pause; }

std::optional<std::string> Hasher::exchange(std::string_view request) {
    if (send(channel_, request.data(), request.size(), MSG_NOSIGNAL) < 0) return std::nullopt;
    std::array<char, kLongestMessage> answer{};
    ssize_t size = 0;
    do {
        size = recv(channel_, answer.data(), answer.size(), 0);
    } while (size < 0 && errno == EINTR);
    if (size > 0) return std::string(answer.data(), static_cast<std::size_t>(size));
    const bool hung = size < 0 && (errno == EAGAIN || errno == EWOULDBLOCK);
    log::error("plimsoll-hasher does not respond",
               {{"reason", size == 0 ? "it ended" : std::strerror(errno)}});
    if (hung) {
        hung_at_ = Clock::now();
        stop();
    }
    return std::nullopt;
}

bool Hasher::start() {
    std::array<int, 2> ends{};
    if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends.data()) == 0) {
        channel_ = ends[0];
        const auto whole = std::chrono::floor<std::chrono::seconds>(patience_.answer);
        const timeval time{.tv_sec = whole.count(),
                           .tv_usec = std::chrono::microseconds(patience_.answer - whole).count()};
        setsockopt(channel_, SOL_SOCKET, SO_RCVTIMEO, &time, sizeof time);
        child_ = spawn({.path = program_,
                        .arguments = {},
                        .environment = {},
                        .redirections = {{ends[1], STDIN_FILENO}}});
        const int reason = errno;
        close(ends[1]);
        if (child_ > 0) return true;
        errno = reason;
    }
    log::error("cannot start plimsoll-hasher", {{"reason", std::strerror(errno)}});
    return false;
}

void Hasher::stop() {
    if (channel_ >= 0) close(channel_);
    channel_ = -1;
    if (child_ > 0) {
        kill(child_, SIGKILL);
        waitpid(child_, nullptr, 0);
    }
    child_ = 0;
}

}  // namespace plimsoll::identity
