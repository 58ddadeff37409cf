#pragma once

#include "engine/base/result.hpp"

#include <optional>
#include <string>
#include <string_view>

#include <sys/types.h>

namespace plimsoll::identity {

// Hashes passwords in a program beside this one, plimsoll-hasher, of low priority. A hash maps and
// touches 19 MiB: in this program it would hold up every thread that needs memory meanwhile. The
// program is started when it is first needed, and again if it died. It ends with this object and
// with this program. Calls block, and are for one thread at a time.
class Hasher {
  public:
    explicit Hasher(std::string program) : program_(std::move(program)) {}
    ~Hasher() { stop(); }
    Hasher(const Hasher&) = delete;
    Hasher& operator=(const Hasher&) = delete;

    struct Comparison {
        bool same = false;
        std::string newer;  // a hash of the same password at today's costs, if it had others
    };

    // Passwords are normalized. Errc::unavailable: the program cannot be started, or does not
    // answer.
    Result<std::string> hash(std::string_view password);
    Result<Comparison> compare(std::string_view hash, std::string_view password);

  private:
    Result<std::string> ask(std::string_view hash, std::string_view password);
    std::optional<std::string> exchange(std::string_view request) const;
    bool start();
    void stop();

    const std::string program_;
    int channel_ = -1;
    pid_t child_ = 0;
};

}  // namespace plimsoll::identity
