#include "engine/waves/series/encodings.hpp"

#include "engine/waves/series/columns.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <functional>
#include <map>
#include <memory>
#include <optional>

#include <iconv.h>

namespace plimsoll::waves {
namespace {

constexpr std::array kEncodings = {"Windows-1252", "GB18030", "CP932", "CP949", "Big5"};
constexpr std::size_t kHead = 4096;  // bytes that may name columns
constexpr int kHeadLines = 12;

// None: the bytes are not of this encoding, or the C library does not have it.
std::optional<std::string> converted(std::string_view bytes, const char* encoding) {
    auto* const conversion = iconv_open("UTF-8", encoding);
    // NOLINTNEXTLINE(performance-no-int-to-ptr): as POSIX says it
    if (conversion == reinterpret_cast<iconv_t>(-1)) return {};
    const std::unique_ptr<void, int (*)(iconv_t)> closed(conversion, iconv_close);
    std::string out;
    std::array<char, 16384> piece{};
    auto* from = const_cast<char*>(bytes.data());  // iconv() does not write there
    std::size_t left = bytes.size();
    while (left > 0) {
        auto* to = piece.data();
        std::size_t room = piece.size();
        const auto status = iconv(conversion, &from, &left, &to, &room);
        out.append(piece.data(), piece.size() - room);
        if (status == static_cast<std::size_t>(-1) && errno != E2BIG) return {};
    }
    return out;
}

std::size_t names_in(std::string_view text) {
    std::size_t most = 0;
    for (int line = 0; line < kHeadLines && !text.empty(); ++line) {
        const auto end = std::min(text.find('\n'), text.size());
        most = std::max(most, known_names(text.substr(0, end)));
        text.remove_prefix(std::min(end + 1, text.size()));
    }
    return most;
}

}  // namespace

bool is_utf8(std::string_view bytes) {
    return std::ranges::all_of(bytes, [](char c) { return (c & 0x80) == 0; }) ||
           converted(bytes, "UTF-8").has_value();
}

Result<InUtf8> in_utf8(std::string_view bytes) {
    const auto head = bytes.substr(0, bytes.find_last_of('\n', kHead) + 1);
    std::multimap<std::size_t, const char*, std::greater<>> likeliest;
    for (const char* encoding : kEncodings)
        if (const auto text = converted(head, encoding))
            likeliest.emplace(names_in(*text), encoding);
    for (const auto& [names, encoding] : likeliest)
        if (auto text = converted(bytes, encoding)) return InUtf8{std::move(*text), encoding};
    return fail(Errc::invalid_input, "The file is not UTF-8: save it as UTF-8.");
}

}  // namespace plimsoll::waves
