#pragma once

#include <functional>
#include <string>
#include <string_view>

namespace plimsoll::client {

struct ServerEvent {
    std::string id;
    std::string type = "message";
    std::string data;
};

// Assembles server-sent events from pieces of any size.
class EventStreamParser {
  public:
    void feed(std::string_view piece, const std::function<void(const ServerEvent&)>& on_event);

  private:
    void take_line(std::string_view line, const std::function<void(const ServerEvent&)>& on_event);

    std::string pending_;
    ServerEvent event_;
    bool has_data_ = false;
};

}  // namespace plimsoll::client
