#include "engine/zones/zone.hpp"

#include "engine/zones/digit.hpp"
#include "engine/zones/place.hpp"

#include <array>
#include <cstdio>
#include <cstdlib>

namespace plimsoll::zones {
namespace {

// More than any offset from UTC ever used.
constexpr std::int64_t kMostOffset = 26 * 3600;

// Seconds of "+02:00", "-0530" or "+02".
std::optional<std::int64_t> offset_of(std::string_view text) {
    if (text.size() < 3 || (text[0] != '+' && text[0] != '-')) return {};
    const bool colon = text.size() == 6 && text[3] == ':';
    if (text.size() != 3 && text.size() != 5 && !colon) return {};
    const auto two = [&](std::size_t at) {
        return is_digit(text[at]) && is_digit(text[at + 1])
                   ? std::optional((text[at] - '0') * 10 + (text[at + 1] - '0'))
                   : std::nullopt;
    };
    const auto hours = two(1);
    const auto minutes = text.size() == 3 ? std::optional(0) : two(colon ? 4 : 3);
    if (!hours || !minutes || *hours > 14 || *minutes > 59) return {};
    return (text[0] == '-' ? -1 : 1) * (*hours * 3600 + *minutes * 60);
}

}  // namespace

Result<Zone> Zone::named(std::string_view name) {
    Zone zone;
    if (name == "Z" || name == "UTC") return zone;
    if (const auto offset = offset_of(name)) {
        zone.offset_ = *offset;
        return zone;
    }
    zone.place_ = place_named(name);
    if (zone.place_ == nullptr)
        return fail(Errc::invalid_input,
                    "There is no time zone \"" + std::string(name.substr(0, 60)) +
                        "\": use an offset such as +02:00 or an IANA name such as Europe/Berlin.");
    return zone;
}

Shown Zone::shown(std::int64_t local) const {
    if (place_ == nullptr) return {{local - offset_, {}}, false};
    Shown found{{}, true};  // until a clock is found that showed it
    auto period = place_->period(local - kMostOffset);
    while (true) {
        const auto at = local - period.offset;
        if (at >= period.begin && at < period.end) {
            if (found.skipped) {
                found = {{at, {}}, false};
            } else if (at != found.instant.seconds) {
                found.instant.again = at;
            }
        }
        if (period.end > local + kMostOffset) return found;
        const auto next = place_->period(period.end);
        const bool jumped = at >= period.end && local - next.offset < period.end;
        if (found.skipped && jumped) found.instant.seconds = period.end;
        period = next;
    }
}

Result<Instant> Zone::at(std::int64_t local) const {
    const auto found = shown(local);
    if (!found.skipped) return found.instant;
    return fail(Errc::invalid_input,
                "This time does not exist in " + place_->name + ": the clocks went forward.");
}

std::string Zone::name() const {
    if (place_ != nullptr) return place_->name;
    if (offset_ == 0) return "UTC";
    const std::int64_t minutes = std::abs(offset_) / 60;
    std::array<char, 8> text{};
    std::snprintf(text.data(), text.size(), "%c%02d:%02d", offset_ < 0 ? '-' : '+',
                  static_cast<int>(minutes / 60 % 100), static_cast<int>(minutes % 60));
    return text.data();
}

std::int64_t Zone::offset(std::int64_t at) const {
    if (place_ == nullptr) return offset_;
    return place_->period(at).offset;
}

}  // namespace plimsoll::zones
