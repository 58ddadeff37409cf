#include "engine/zones/place.hpp"

#include <algorithm>
#include <fstream>
#include <map>
#include <memory>
#include <mutex>

namespace plimsoll::zones {
namespace {

constexpr std::string_view kDatabase = "/usr/share/zoneinfo/";
constexpr std::streamsize kMostBytes = 1 << 20;  // the largest files have less than 4 KiB

// Names of places begin with a capital; "right/…", "localtime" and tables do not.
bool well_formed(std::string_view name) {
    constexpr const char* allowed =
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
        "0123456789_+-/";
    return !name.empty() && name.size() <= 100 && name.front() >= 'A' && name.front() <= 'Z' &&
           name.find_first_not_of(allowed) == std::string_view::npos;
}

std::string bytes_of(const std::string& path) {
    std::ifstream file(path, std::ios::binary);
    std::string bytes(kMostBytes, '\0');
    file.read(bytes.data(), kMostBytes);
    bytes.resize(static_cast<std::size_t>(std::max<std::streamsize>(file.gcount(), 0)));
    return bytes;
}

}  // namespace

Period Place::period(std::int64_t at) const {
    const auto next = std::ranges::upper_bound(changes, at);
    const auto index = static_cast<std::size_t>(next - changes.begin());
    const auto begin = next == changes.begin() ? INT64_MIN : *(next - 1);
    if (next != changes.end()) return {begin, *next, offsets[index]};
    if (!rule) return {begin, INT64_MAX, offsets[index]};
    auto period = rule->period(at);
    period.begin = std::max(period.begin, begin);
    return period;
}

const Place* place_named(std::string_view name) {
    static std::mutex mutex;
    static std::map<std::string, std::unique_ptr<const Place>, std::less<>> places;
    if (!well_formed(name)) return nullptr;
    const std::lock_guard lock(mutex);
    if (const auto known = places.find(name); known != places.end()) return known->second.get();
    auto place = read_tzif(bytes_of(std::string(kDatabase) + std::string(name)));
    if (!place) return nullptr;
    place->name = name;
    return places.emplace(name, std::make_unique<const Place>(*std::move(place)))
        .first->second.get();
}

}  // namespace plimsoll::zones
