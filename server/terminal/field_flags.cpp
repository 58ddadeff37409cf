#include "server/terminal/field_flags.hpp"

#include <algorithm>

namespace plimsoll::terminal {

Error in_flags(Error error, std::span<const FieldFlag> flags) {
    constexpr std::string_view kLine = "\n  ";
    for (auto at = error.message.find(kLine); at != std::string::npos;
         at = error.message.find(kLine, at)) {
        at += kLine.size();
        const auto place = std::string_view(error.message).substr(at);
        const auto flag = std::ranges::find_if(
            flags, [&](const FieldFlag& one) { return place.starts_with(one.place); });
        if (flag == flags.end()) continue;
        error.message.replace(at, flag->place.size(), flag->flag);
        // --set takes places with dots.
        const auto end = std::min(error.message.find(':', at), error.message.size());
        std::replace(error.message.begin() + static_cast<std::ptrdiff_t>(at),
                     error.message.begin() + static_cast<std::ptrdiff_t>(end), '/', '.');
    }
    return error;
}

}  // namespace plimsoll::terminal
