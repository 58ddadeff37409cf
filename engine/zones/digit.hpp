#pragma once

namespace plimsoll::zones {

constexpr bool is_digit(char c) {
    return c >= '0' && c <= '9';
}

}  // namespace plimsoll::zones
