#include "engine/base/result.hpp"

namespace plimsoll {

std::string_view to_string(Errc code) {
    switch (code) {
        case Errc::invalid_input:
            return "invalid_input";
        case Errc::unauthenticated:
            return "unauthenticated";
        case Errc::forbidden:
            return "forbidden";
        case Errc::not_found:
            return "not_found";
        case Errc::conflict:
            return "conflict";
        case Errc::too_large:
            return "too_large";
        case Errc::exhausted:
            return "exhausted";
        case Errc::unavailable:
            return "unavailable";
        case Errc::timeout:
            return "timeout";
        case Errc::cancelled:
            return "cancelled";
        case Errc::corrupt:
            return "corrupt";
        case Errc::internal:
            return "internal";
    }
    return "internal";
}

}  // namespace plimsoll
