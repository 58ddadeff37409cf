// Cron expressions and time zones: due times ascend, and each is one that the expression means.
#include "server/base/time.hpp"
#include "server/schedules/times.hpp"
#include "tests/fuzz/parsers/targets.hpp"

#include <string>

namespace plimsoll::fuzz {

// An expression, and in a second line a time zone or a time.
void give_cron(std::string_view text) {
    const auto end = std::min(text.find('\n'), text.size());
    const std::string second(text.substr(std::min(end + 1, text.size())));
    if (const auto time = parse_rfc3339(second)) {
        const auto again = parse_rfc3339(to_rfc3339(*time));
        ensure(again && std::chrono::floor<std::chrono::milliseconds>(*time) == *again);
    }
    const auto cron = schedules::Cron::parse(text.substr(0, end));
    if (!cron) return;
    const auto zone = zones::Zone::named(second);
    std::int64_t after = 1'700'000'000;
    for (const auto due : schedules::next_dues(*cron, zone ? *zone : zones::Zone(), after, 4)) {
        ensure(due > after && due % 60 == 0);
        after = due;
    }
}

}  // namespace plimsoll::fuzz
