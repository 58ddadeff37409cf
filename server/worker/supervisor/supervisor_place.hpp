#pragma once

#include <optional>
#include <string>

namespace plimsoll::worker {

// The place of the one supervisor that works for a node and a database on this machine. Held until
// the process ends, however it ends. Of two machines with one name, the queue keeps the one whose
// workers live; see home().
class SupervisorPlace {
  public:
    // Nothing: another process has it.
    static std::optional<SupervisorPlace> take(const std::string& node,
                                               const std::string& database_url);

    SupervisorPlace(SupervisorPlace&& other) noexcept;
    SupervisorPlace& operator=(SupervisorPlace&& other) noexcept;
    ~SupervisorPlace();

  private:
    explicit SupervisorPlace(int socket) : socket_(socket) {}

    int socket_ = -1;
};

}  // namespace plimsoll::worker
