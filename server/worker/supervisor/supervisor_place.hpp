#pragma once

#include <optional>
#include <string>

namespace plimsoll::worker {

// A machine-wide lock that admits one supervisor per node name and database. Held until the process
// exits, for whatever reason. Between two machines with the same name, the queue accepts the one
// whose workers are alive; see home().
class SupervisorPlace {
  public:
    // nullopt: another process holds it.
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
