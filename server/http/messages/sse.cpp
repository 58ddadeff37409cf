#include "server/http/messages/sse.hpp"

#include <algorithm>

namespace plimsoll::http::sse {

std::string frame(const Event& event) {
    std::string text;
    if (event.id) text += "id: " + std::to_string(*event.id) + '\n';
    text += "event: ";
    // A line break in a type would begin a field of its own.
    std::ranges::copy_if(event.type, std::back_inserter(text),
                         [](char c) { return c != '\n' && c != '\r'; });
    text += '\n';
    auto rest = event.data;
    for (bool more = true; more;) {
        const auto end = rest.find_first_of("\r\n");
        text += "data: ";
        text += rest.substr(0, end);
        text += '\n';
        more = end != std::string_view::npos;
        if (more) {
            const bool pair = rest.substr(end, 2) == "\r\n";
            rest.remove_prefix(end + (pair ? 2 : 1));
        }
    }
    text += '\n';
    return text;
}

std::string_view heartbeat() { return ": still here\n\n"; }

std::string retry(std::chrono::milliseconds wait) {
    return "retry: " + std::to_string(wait.count()) + "\n\n";
}

}  // namespace plimsoll::http::sse
