#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

// The text form of server-sent events (WHATWG HTML, "Server-sent events").
namespace plimsoll::http::sse {

struct Event {
    std::optional<std::int64_t> id;  // the value for Last-Event-ID; none: not resumable
    std::string_view type;
    std::string_view data;  // every line of it becomes a data line
};

std::string frame(const Event& event);

// A comment that keeps proxies from closing an idle stream and reveals a disconnected client.
std::string_view heartbeat();

std::string retry(std::chrono::milliseconds wait);

}  // namespace plimsoll::http::sse
