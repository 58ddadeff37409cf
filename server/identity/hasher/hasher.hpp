#pragma once

#include "engine/base/result.hpp"

#include <chrono>
#include <optional>
#include <string>
#include <string_view>

#include <sys/types.h>

namespace plimsoll::identity {

// Hashes passwords in a program beside this one, plimsoll-hasher, which pauses often. A hash
// touches 19 MiB: in this program it would hold up every thread that needs memory meanwhile. The
// program is started when it is first needed, and again if it died or hung. It ends with this
// object and with this program. Calls block, and are for one thread at a time.
class Hasher {
  public:
    struct Patience {
        // A hash takes 25 ms of processor time; this allows for a busy machine.
        std::chrono::milliseconds answer = std::chrono::seconds(20);
        // After a hang, calls fail immediately for this long, so that those queued behind it do not
        // wait, too.
        std::chrono::milliseconds pause = std::chrono::seconds(5);
    };

    explicit Hasher(std::string program) : Hasher(std::move(program), Patience()) {}
    Hasher(std::string program, Patience patience)
        : program_(std::move(program)), patience_(patience) {}
    ~Hasher() { stop(); }
    Hasher(const Hasher&) = delete;
    Hasher& operator=(const Hasher&) = delete;

    struct Comparison {
        bool same = false;
        std::string newer;  // a hash of the same password with today's costs, if it had others
    };

    // Passwords are normalized. Errc::unavailable: the program cannot be started, or does not
    // respond.
    Result<std::string> hash(std::string_view password);
    Result<Comparison> compare(std::string_view hash, std::string_view password);

  private:
    Result<std::string> ask(std::string_view hash, std::string_view password);
    std::optional<std::string> exchange(std::string_view request);
    bool is_pausing() const;
    bool start();
    void stop();

    const std::string program_;
    const Patience patience_;
    std::optional<std::chrono::steady_clock::time_point> hung_at_;
    int channel_ = -1;
    pid_t child_ = 0;
};

}  // namespace plimsoll::identity
