#include "server/worker/supervisor/supervisor_place.hpp"

#include <cerrno>
#include <cstring>
#include <functional>
#include <stdexcept>
#include <utility>

#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

namespace plimsoll::worker {

// An abstract socket: a name that the kernel gives to one process of a network namespace and takes
// back with it. Nobody ever connects to it.
std::optional<SupervisorPlace> SupervisorPlace::take(const std::string& node,
                                                     const std::string& database_url) {
    // Fixed length, and without the URL's password: everybody can list such names.
    const auto key = std::hash<std::string>{}(node + '\n' + database_url);
    const auto name = "plimsoll-supervisor-" + std::to_string(key);
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    std::memcpy(address.sun_path + 1, name.data(), name.size());
    const auto length = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + 1 + name.size());
    const int socket = ::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (socket < 0) throw std::runtime_error("cannot create a socket");
    SupervisorPlace place(socket);
    if (::bind(socket, reinterpret_cast<const sockaddr*>(&address), length) == 0) return place;
    if (errno != EADDRINUSE) throw std::runtime_error("cannot bind an abstract socket");
    return std::nullopt;
}

SupervisorPlace::SupervisorPlace(SupervisorPlace&& other) noexcept
    : socket_(std::exchange(other.socket_, -1)) {}

SupervisorPlace& SupervisorPlace::operator=(SupervisorPlace&& other) noexcept {
    std::swap(socket_, other.socket_);
    return *this;
}

SupervisorPlace::~SupervisorPlace() {
    if (socket_ >= 0) ::close(socket_);
}

}  // namespace plimsoll::worker
