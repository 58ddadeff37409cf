#include "server/app/service_manager.hpp"

#include <cstddef>
#include <cstdlib>
#include <cstring>

#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

namespace plimsoll::app {

void tell_service_manager(std::string_view state) {
    const char* path = std::getenv("NOTIFY_SOCKET");
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    const std::size_t length = path ? std::strlen(path) : 0;
    if (length == 0 || length >= sizeof address.sun_path) return;
    std::memcpy(address.sun_path, path, length);
    if (*path == '@') address.sun_path[0] = '\0';  // an abstract socket
    const int descriptor = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    if (descriptor < 0) return;
    (void)!sendto(descriptor, state.data(), state.size(), MSG_NOSIGNAL,
                  reinterpret_cast<const sockaddr*>(&address),
                  static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + length));
    close(descriptor);
}

std::chrono::microseconds watchdog_interval() {
    const char* limit = std::getenv("WATCHDOG_USEC");
    return std::chrono::microseconds(limit ? std::atoll(limit) / 3 : 0);
}

}  // namespace plimsoll::app
