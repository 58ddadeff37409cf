#include "server/worker/base/outage.hpp"

#include "server/base/log.hpp"

namespace plimsoll::worker {

bool Outage::begins_with(const Error& error) {
    const bool passing = error.code == Errc::unavailable || error.code == Errc::timeout ||
                         error.code == Errc::exhausted;
    if (passing && !on_) log::warn("work waits", {{"reason", error.message}});
    on_ = on_ || passing;
    return passing;
}

void Outage::ends() {
    if (on_) log::info("work goes on");
    on_ = false;
}

bool is_gone(const Error& error) {
    return error.code == Errc::conflict || error.code == Errc::not_found;
}

}  // namespace plimsoll::worker
