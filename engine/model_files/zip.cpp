#include "engine/model_files/zip.hpp"

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <optional>

namespace plimsoll::model_files {
namespace {

// Signatures and layouts: APPNOTE.TXT 6.3.10 of PKWARE, sections 4.3 and 4.5.3.
constexpr std::uint32_t kLocal = 0x04034b50;
constexpr std::uint32_t kCentral = 0x02014b50;
constexpr std::uint32_t kEnd = 0x06054b50;
constexpr std::uint32_t kEnd64 = 0x06064b50;
constexpr std::uint32_t kLocator64 = 0x07064b50;
constexpr std::size_t kEndBytes = 22;
constexpr std::size_t kCentralBytes = 46;
constexpr std::size_t kLocalBytes = 30;
constexpr std::size_t kLocatorBytes = 20;
constexpr std::size_t kEnd64Bytes = 56;
constexpr std::uint64_t kMaxEntries = 100'000;

using Bytes = std::span<const std::byte>;

template <class T>
T number_at(Bytes bytes, std::size_t at) {
    T value{};
    std::memcpy(&value, bytes.data() + at, sizeof value);
    return value;
}

// Nothing if fewer than `count` bytes follow from `at` on.
std::optional<Bytes> part(Bytes bytes, std::uint64_t at, std::uint64_t count) {
    if (at > bytes.size() || count > bytes.size() - at) return std::nullopt;
    return bytes.subspan(at, count);
}

struct Directory {
    std::uint64_t entries = 0;
    std::uint64_t offset = 0;
};

std::optional<Directory> directory_64(Bytes archive, std::size_t end) {
    if (end < kLocatorBytes) return std::nullopt;
    const auto locator = archive.subspan(end - kLocatorBytes, kLocatorBytes);
    if (number_at<std::uint32_t>(locator, 0) != kLocator64) return std::nullopt;
    const auto record = part(archive, number_at<std::uint64_t>(locator, 8), kEnd64Bytes);
    if (!record || number_at<std::uint32_t>(*record, 0) != kEnd64) return std::nullopt;
    return Directory{number_at<std::uint64_t>(*record, 32), number_at<std::uint64_t>(*record, 48)};
}

// The end record is followed by a comment of at most 65,535 bytes.
std::optional<Directory> find_directory(Bytes archive) {
    if (archive.size() < kEndBytes) return std::nullopt;
    const std::size_t last = archive.size() - kEndBytes;
    const std::size_t first = last - std::min<std::size_t>(last, 0xffff);
    for (std::size_t end = last + 1; end-- > first;) {
        if (number_at<std::uint32_t>(archive, end) != kEnd) continue;
        if (auto wide = directory_64(archive, end)) return wide;
        return Directory{number_at<std::uint16_t>(archive, end + 10),
                         number_at<std::uint32_t>(archive, end + 16)};
    }
    return std::nullopt;
}

struct Entry {
    std::string name;
    std::uint64_t size = 0;
    std::uint64_t packed_size = 0;
    std::uint64_t local = 0;
    bool stored = false;
};

// Values that do not fit in 32 bits are in the extra field of type 1, in this order.
bool read_extra(Bytes extra, Entry& entry) {
    while (extra.size() >= 4) {
        const auto type = number_at<std::uint16_t>(extra, 0);
        const auto length = number_at<std::uint16_t>(extra, 2);
        if (length > extra.size() - 4) return false;
        auto field = extra.subspan(4, length);
        if (type == 1) {
            for (auto* value : {&entry.size, &entry.packed_size, &entry.local}) {
                if (*value != 0xffffffffU) continue;
                if (field.size() < 8) return false;
                *value = number_at<std::uint64_t>(field, 0);
                field = field.subspan(8);
            }
        }
        extra = extra.subspan(4 + std::size_t{length});
    }
    return true;
}

// Moves `at` behind the entry.
std::optional<Entry> read_entry(Bytes archive, std::uint64_t& at) {
    const auto head = part(archive, at, kCentralBytes);
    if (!head || number_at<std::uint32_t>(*head, 0) != kCentral) return std::nullopt;
    const auto name_bytes = number_at<std::uint16_t>(*head, 28);
    const auto extra_bytes = number_at<std::uint16_t>(*head, 30);
    const auto name = part(archive, at + kCentralBytes, name_bytes);
    const auto extra = part(archive, at + kCentralBytes + name_bytes, extra_bytes);
    if (!name || !extra) return std::nullopt;
    const bool encrypted = (number_at<std::uint16_t>(*head, 8) & 1U) != 0;
    Entry entry{.name = {reinterpret_cast<const char*>(name->data()), name->size()},
                .size = number_at<std::uint32_t>(*head, 24),
                .packed_size = number_at<std::uint32_t>(*head, 20),
                .local = number_at<std::uint32_t>(*head, 42),
                .stored = number_at<std::uint16_t>(*head, 10) == 0 && !encrypted};
    if (!read_extra(*extra, entry)) return std::nullopt;
    at += kCentralBytes + name_bytes + extra_bytes + number_at<std::uint16_t>(*head, 32);
    return entry;
}

std::optional<Bytes> content(Bytes archive, const Entry& entry) {
    const auto head = part(archive, entry.local, kLocalBytes);
    if (!head || number_at<std::uint32_t>(*head, 0) != kLocal) return std::nullopt;
    const std::uint64_t skipped =
        kLocalBytes + number_at<std::uint16_t>(*head, 26) + number_at<std::uint16_t>(*head, 28);
    return part(archive, entry.local + skipped, entry.size);
}

bool leaves_archive(std::string_view name) {
    const auto has = [&](std::string_view part) { return name.find(part) != name.npos; };
    return name.starts_with('/') || has("\\") || name == ".." || name.starts_with("../") ||
           name.ends_with("/..") || has("/../");
}

}  // namespace

Result<std::map<std::string, Bytes, std::less<>>> read_zip(Bytes archive) {
    const auto refuse = [](const std::string& why) {
        return fail(Errc::corrupt, "The archive cannot be read: " + why + ".");
    };
    const auto directory = find_directory(archive);
    if (!directory) return refuse("its directory is missing");
    if (directory->entries > kMaxEntries) return refuse("it has more than 100,000 entries");
    std::map<std::string, Bytes, std::less<>> entries;
    std::uint64_t at = directory->offset;
    for (std::uint64_t i = 0; i < directory->entries; ++i) {
        const auto entry = read_entry(archive, at);
        if (!entry) return refuse("its directory is corrupt");
        const std::string quoted = "\"" + entry->name.substr(0, 200) + "\" ";
        if (!entry->stored || entry->size != entry->packed_size)
            return refuse(quoted + "is compressed or encrypted");
        if (leaves_archive(entry->name))
            return refuse(quoted + "is not a valid name within the archive");
        const auto bytes = content(archive, *entry);
        if (!bytes) return refuse(quoted + "lies outside the file");
        if (!entries.emplace(entry->name, *bytes).second) return refuse(quoted + "occurs twice");
    }
    return entries;
}

bool is_zip(Bytes bytes) {
    return bytes.size() >= 4 && number_at<std::uint32_t>(bytes, 0) == kLocal;
}

}  // namespace plimsoll::model_files
