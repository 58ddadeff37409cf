#include "engine/zones/place.hpp"

#include <algorithm>
#include <array>

namespace plimsoll::zones {
namespace {

// Reads big-endian numbers and blocks; past the end everything is zero, and `whole` is false.
class Bytes {
  public:
    explicit Bytes(std::string_view bytes) : rest_(bytes) {}

    std::string_view take(std::size_t count) {
        if (count > rest_.size()) {
            whole_ = false;
            rest_ = {};
            return {};
        }
        const auto taken = rest_.substr(0, count);
        rest_.remove_prefix(count);
        return taken;
    }

    std::int64_t number(std::size_t size) {
        const auto bytes = take(size);
        if (bytes.empty()) return 0;
        // The first byte has the sign.
        std::int64_t value = static_cast<signed char>(bytes.front());
        for (const char byte : bytes.substr(1)) {
            value = static_cast<std::int64_t>(static_cast<std::uint64_t>(value) << 8 |
                                              static_cast<unsigned char>(byte));
        }
        return value;
    }

    std::string_view rest() const { return rest_; }
    bool whole() const { return whole_; }

  private:
    std::string_view rest_;
    bool whole_ = true;
};

struct Header {
    char version = 0;
    std::size_t universal = 0, standard = 0, leaps = 0, changes = 0, types = 0, names = 0;

    // Bytes of what follows, where times take 4 bytes or 8.
    std::size_t size(std::size_t time) const {
        return changes * (time + 1) + types * 6 + names + leaps * (time + 4) + standard + universal;
    }
};

std::optional<Header> header(Bytes& bytes) {
    if (bytes.take(4) != "TZif") return {};
    const auto version = bytes.take(16);
    Header found;
    if (!version.empty()) found.version = version.front();
    for (auto* count : {&found.universal, &found.standard, &found.leaps, &found.changes,
                        &found.types, &found.names}) {
        const auto value = bytes.number(4);
        if (value < 0 || value > 100'000) return {};
        *count = static_cast<std::size_t>(value);
    }
    if (!bytes.whole() || found.types == 0 || found.leaps != 0) return {};
    return found;
}

std::optional<Place> block(Bytes& bytes, const Header& header, std::size_t time) {
    Place place;
    for (std::size_t i = 0; i < header.changes; ++i) place.changes.push_back(bytes.number(time));
    const auto chosen = bytes.take(header.changes);
    std::vector<std::int64_t> types;
    for (std::size_t i = 0; i < header.types; ++i) {
        types.push_back(bytes.number(4));
        bytes.take(2);  // whether it is summer time, and where its name begins
    }
    bytes.take(header.names + header.standard + header.universal);
    if (!bytes.whole()) return {};

    // Before all changes the first type counts (RFC 8536, 3.2).
    place.offsets.push_back(types.front());
    for (const char type : chosen) {
        const auto index = static_cast<unsigned char>(type);
        if (index >= types.size()) return {};
        place.offsets.push_back(types[index]);
    }
    const bool ascending =
        std::ranges::adjacent_find(place.changes, std::greater_equal()) == place.changes.end();
    const bool possible = std::ranges::all_of(
        types, [](std::int64_t offset) { return offset > -26 * 3600 && offset < 26 * 3600; });
    if (!ascending || !possible) return {};
    return place;
}

}  // namespace

std::optional<Place> read_tzif(std::string_view file) {
    Bytes bytes(file);
    auto first = header(bytes);
    if (!first) return {};
    if (first->version < '2') return block(bytes, *first, 4);

    // The first block is for readers that know only 32-bit times.
    bytes.take(first->size(4));
    const auto second = header(bytes);
    if (!second) return {};
    auto place = block(bytes, *second, 8);
    if (!place) return {};
    // The footer: a rule between two line ends, empty where nothing is known.
    if (bytes.take(1) != "\n") return {};
    const auto end = bytes.rest().find('\n');
    if (end == std::string_view::npos) return {};
    const auto footer = bytes.rest().substr(0, end);
    if (footer.empty()) return place;
    place->rule = PosixRule::parse(footer);
    if (!place->rule) return {};
    return place;
}

}  // namespace plimsoll::zones
