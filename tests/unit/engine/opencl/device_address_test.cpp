#include "engine/opencl/devices/device_info.hpp"

#include <gtest/gtest.h>

namespace plimsoll::opencl {
namespace {

TEST(DeviceAddress, ReadsWhatItWrites) {
    const DeviceAddress address{"pocl", 3};
    EXPECT_EQ(to_string(address), "opencl:pocl:3");
    EXPECT_EQ(parse_device_address("opencl:pocl:3").value(), address);
}

TEST(DeviceAddress, RefusesAnythingElse) {
    for (const auto* text : {"", "host", "opencl:", "opencl:pocl", "opencl::0", "opencl:pocl:",
                             "opencl:pocl:-1", "opencl:pocl:0x", "opencl:pocl:99999999999"}) {
        const auto address = parse_device_address(text);
        ASSERT_FALSE(address) << text;
        EXPECT_EQ(address.error().code, Errc::invalid_input);
        EXPECT_EQ(address.error().where, text);
    }
}

}  // namespace
}  // namespace plimsoll::opencl
