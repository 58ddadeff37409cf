#include "server/jobs/records/json_text.hpp"

#include <charconv>

namespace plimsoll::jobs {

void append_decimal(std::string& out, std::int64_t units, int decimals) {
    if (units < 0) {
        out.push_back('-');
        units = -units;
    }
    std::int64_t scale = 1;
    for (int i = 0; i < decimals; ++i) scale *= 10;
    char digits[24];
    const auto whole = std::to_chars(digits, digits + sizeof digits, units / scale);
    out.append(digits, whole.ptr);
    std::int64_t fraction = units % scale;
    if (fraction == 0) return;
    out.push_back('.');
    for (scale /= 10; fraction != 0; scale /= 10) {
        out.push_back(static_cast<char>('0' + fraction / scale));
        fraction %= scale;
    }
}

}  // namespace plimsoll::jobs
