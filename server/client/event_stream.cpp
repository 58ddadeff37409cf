#include "server/client/event_stream.hpp"

namespace plimsoll::client {

void EventStreamParser::feed(std::string_view piece,
                             const std::function<void(const ServerEvent&)>& on_event) {
    pending_ += piece;
    std::size_t start = 0;
    for (auto end = pending_.find('\n'); end != std::string::npos;
         end = pending_.find('\n', start)) {
        std::string_view line(pending_.data() + start, end - start);
        if (line.ends_with('\r')) line.remove_suffix(1);
        take_line(line, on_event);
        start = end + 1;
    }
    pending_.erase(0, start);
}

void EventStreamParser::take_line(std::string_view line,
                                  const std::function<void(const ServerEvent&)>& on_event) {
    if (line.empty()) {
        if (has_data_) on_event(event_);
        const auto last_id = event_.id;
        event_ = {};
        event_.id = last_id;  // the id stays until the server names another
        has_data_ = false;
        return;
    }
    const auto colon = line.find(':');
    const auto field = line.substr(0, colon);
    auto value = colon == std::string_view::npos ? std::string_view{} : line.substr(colon + 1);
    if (value.starts_with(' ')) value.remove_prefix(1);
    if (field == "data") {
        if (has_data_) event_.data += '\n';
        event_.data += value;
        has_data_ = true;
    } else if (field == "event") {
        event_.type = value;
    } else if (field == "id") {
        event_.id = value;
    }
}

}  // namespace plimsoll::client
