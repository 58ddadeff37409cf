// Reads lines "offset SECONDS PLACE" (of UTC) and "shown SECONDS PLACE" (of its clocks). Prints the
// offset, or when clocks showed that: "once AT", "twice AT AT" or "skipped AT", when they jumped.
#include "engine/zones/zone.hpp"

#include <cstdio>
#include <iostream>
#include <string>

int main() {
    std::int64_t seconds = 0;
    for (std::string what, name; std::cin >> what >> seconds >> name;) {
        const auto zone = plimsoll::zones::Zone::named(name);
        if (!zone) {
            std::printf("unknown\n");
        } else if (what == "offset") {
            std::printf("%lld\n", static_cast<long long>(zone->offset(seconds)));
        } else if (const auto shown = zone->shown(seconds); shown.instant.again) {
            std::printf("twice %lld %lld\n", static_cast<long long>(shown.instant.seconds),
                        static_cast<long long>(*shown.instant.again));
        } else {
            std::printf("%s %lld\n", shown.skipped ? "skipped" : "once",
                        static_cast<long long>(shown.instant.seconds));
        }
    }
}
