#include "engine/text/byte_order_mark.hpp"

#include "engine/text/packing.hpp"

namespace plimsoll::text {

Result<ByteOrderMark::Content> ByteOrderMark::feed(std::string_view bytes) {
    if (decided_ || bytes.empty()) return Content{{}, bytes};
    if (matched_ == 0 && (bytes.front() == '\xFF' || bytes.front() == '\xFE')) {
        return fail(Errc::invalid_input,
                    "The file is not UTF-8 but looks like UTF-16: save it as UTF-8.");
    }
    while (!bytes.empty() && bytes.front() == kMark[matched_]) {
        bytes.remove_prefix(1);
        if (++matched_ == kMark.size()) {
            decided_ = true;
            return Content{{}, bytes};
        }
    }
    if (bytes.empty()) return Content{};
    decided_ = true;
    return Content{kMark.substr(0, matched_), bytes};
}

std::string_view ByteOrderMark::finish() {
    if (decided_) return {};
    decided_ = true;
    return kMark.substr(0, matched_);
}

void ByteOrderMark::save(std::string& out) const {
    pack_integer(out, static_cast<std::uint8_t>(matched_));
    pack_integer(out, static_cast<std::uint8_t>(decided_));
}

bool ByteOrderMark::load(std::string_view& rest) {
    std::uint8_t matched = 0;
    std::uint8_t decided = 0;
    if (!unpack_integer(rest, matched) || !unpack_integer(rest, decided)) return false;
    if (matched > kMark.size() || (matched == kMark.size() && decided == 0)) return false;
    matched_ = matched;
    decided_ = decided != 0;
    return true;
}

}  // namespace plimsoll::text
