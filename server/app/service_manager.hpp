#pragma once

#include <chrono>
#include <string_view>

// systemd, if it started this process (Type=notify), by the protocol of sd_notify(3).
namespace plimsoll::app {

// "READY=1", "STOPPING=1", "WATCHDOG=1" …
void tell_service_manager(std::string_view state);

// How often it wants to hear "WATCHDOG=1", with time to spare; zero: never.
std::chrono::microseconds watchdog_interval();

}  // namespace plimsoll::app
