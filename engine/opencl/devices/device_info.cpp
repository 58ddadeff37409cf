#include "engine/opencl/devices/device_info.hpp"

#include <charconv>

namespace plimsoll::opencl {

namespace {
constexpr std::string_view kScheme = "opencl:";
}

std::string to_string(const DeviceAddress& address) {
    return std::string(kScheme) + address.platform + ":" + std::to_string(address.index);
}

Result<DeviceAddress> parse_device_address(std::string_view text) {
    const auto bad = [&] {
        return fail(Errc::invalid_input, "A device address has the form opencl:<platform>:<index>.",
                    std::string(text));
    };
    if (!text.starts_with(kScheme)) return bad();
    const auto rest = text.substr(kScheme.size());
    const auto colon = rest.rfind(':');
    if (colon == std::string_view::npos || colon == 0) return bad();
    const auto digits = rest.substr(colon + 1);
    DeviceAddress address{std::string(rest.substr(0, colon)), 0};
    const auto [end, error] =
        std::from_chars(digits.data(), digits.data() + digits.size(), address.index);
    if (error != std::errc{} || end != digits.data() + digits.size() || address.index < 0)
        return bad();
    return address;
}

}  // namespace plimsoll::opencl
