#include "server/terminal/files/unused_members.hpp"

#include <nlohmann/json.hpp>

namespace plimsoll::terminal {
namespace {

constexpr std::size_t kMax = 20;

}  // namespace

void UnusedMembers::feed(std::string_view bytes) {
    while (!bytes.empty()) {
        const auto end = bytes.find('\n');
        line_.append(bytes.substr(0, end));
        if (end == std::string_view::npos) return;
        end_line();
        bytes.remove_prefix(end + 1);
    }
}

void UnusedMembers::finish() { end_line(); }

void UnusedMembers::end_line() {
    ++number_;
    const auto value = nlohmann::json::parse(line_, nullptr, false);
    line_.clear();
    if (!value.is_object()) return;
    for (const auto& member : value.items()) {
        if (found_.size() == kMax) return;
        if (known_.insert(member.key()).second) found_.push_back({member.key(), number_});
    }
}

}  // namespace plimsoll::terminal
