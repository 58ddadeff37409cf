#include "engine/zones/zone.hpp"

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <memory>
#include <mutex>
#include <vector>

#include <cctz/time_zone.h>

namespace plimsoll::zones {

// A place of the database, with a table of its offset changes, which answers for most times several
// times as fast as cctz.
struct Place {
    cctz::time_zone zone;
    std::vector<std::int64_t> changes;  // seconds since 1970 UTC, ascending; the last one: the end
    std::vector<std::int64_t> offsets;  // seconds east of UTC before each change

    std::size_t index(std::int64_t at) const {
        return static_cast<std::size_t>(std::ranges::upper_bound(changes, at) - changes.begin());
    }
};

namespace {

constexpr std::string_view kDatabase = "/usr/share/zoneinfo/";
constexpr std::size_t kMaxNameBytes = 100;
// More than any offset from UTC ever used.
constexpr std::int64_t kMaxOffset = 26 * 3600;

bool is_digit(char c) { return c >= '0' && c <= '9'; }

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

// Names of places begin with a capital; "right/…", "localtime" and tables do not. cctz remembers
// every name that it is asked for, so it is asked only for those that exist.
bool exists(std::string_view name) {
    constexpr const char* kAllowed =
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
        "0123456789_+-/";
    return !name.empty() && name.size() <= kMaxNameBytes && name.front() >= 'A' &&
           name.front() <= 'Z' && name.find_first_not_of(kAllowed) == std::string_view::npos &&
           std::filesystem::is_regular_file(std::string(kDatabase).append(name));
}

using Time = cctz::time_point<cctz::seconds>;

Time time_of(std::int64_t seconds) { return Time(cctz::seconds(seconds)); }

std::int64_t seconds_of(Time time) { return time.time_since_epoch().count(); }

Place place_of(const cctz::time_zone& zone) {
    constexpr std::int64_t kYear2300 = 10'413'792'000;
    Place place{zone, {}, {zone.lookup(Time::min()).offset}};
    cctz::time_zone::civil_transition next;
    for (auto at = Time::min(); zone.next_transition(at, &next);) {
        at = zone.lookup(next.to).trans;
        place.changes.push_back(seconds_of(at));
        place.offsets.push_back(zone.lookup(at).offset);
    }
    // cctz lists the changes of four centuries where a rule makes them, else all.
    const bool all = place.changes.empty() || place.changes.back() < kYear2300;
    if (all) place.changes.push_back(INT64_MAX);
    return place;
}

const Place* place_named(std::string_view name) {
    static std::mutex mutex;
    static std::map<std::string, std::unique_ptr<const Place>, std::less<>> places;
    const std::lock_guard lock(mutex);
    if (const auto known = places.find(name); known != places.end()) return known->second.get();
    cctz::time_zone zone;
    if (!exists(name) || !cctz::load_time_zone(std::string(name), &zone)) return nullptr;
    return places.emplace(name, std::make_unique<const Place>(place_of(zone))).first->second.get();
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
    const auto index = place_->index(local - kMaxOffset);
    if (index < place_->changes.size() && local + kMaxOffset < place_->changes[index])
        return {{local - place_->offsets[index], {}}, false};
    const auto found = place_->zone.lookup(cctz::civil_second() + local);
    const auto pre = seconds_of(found.pre);
    switch (found.kind) {
        case cctz::time_zone::civil_lookup::SKIPPED: return {{seconds_of(found.trans), {}}, true};
        case cctz::time_zone::civil_lookup::REPEATED: return {{pre, seconds_of(found.post)}, false};
        case cctz::time_zone::civil_lookup::UNIQUE: break;
    }
    return {{pre, {}}, false};
}

Result<Instant> Zone::at(std::int64_t local) const {
    const auto found = shown(local);
    if (!found.skipped) return found.instant;
    return fail(Errc::invalid_input,
                "This time does not exist in " + name() + ": the clocks went forward.");
}

std::string Zone::name() const {
    if (place_ != nullptr) return place_->zone.name();
    if (offset_ == 0) return "UTC";
    const std::int64_t minutes = std::abs(offset_) / 60;
    std::array<char, 8> text{};
    std::snprintf(text.data(), text.size(), "%c%02d:%02d", offset_ < 0 ? '-' : '+',
                  static_cast<int>(minutes / 60 % 100), static_cast<int>(minutes % 60));
    return text.data();
}

std::int64_t Zone::offset(std::int64_t at) const {
    if (place_ == nullptr) return offset_;
    const auto index = place_->index(at);
    return index < place_->changes.size() ? place_->offsets[index]
                                          : place_->zone.lookup(time_of(at)).offset;
}

}  // namespace plimsoll::zones
