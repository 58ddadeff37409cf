#include "server/terminal/exit_status.hpp"

namespace plimsoll::terminal {

ExitStatus exit_status_of(Errc code) {
    switch (code) {
        case Errc::unauthenticated:
        case Errc::forbidden: return ExitStatus::credentials;
        case Errc::unavailable:
        case Errc::timeout:
        case Errc::exhausted: return ExitStatus::unavailable;
        default: return ExitStatus::usage;
    }
}

}  // namespace plimsoll::terminal
