#include "server/http/access/network.hpp"

#include <gtest/gtest.h>

namespace plimsoll::http {
namespace {

TEST(Network, IsTheAddressOrThe64) {
    EXPECT_EQ(network_of("192.0.2.7"), "192.0.2.7");
    EXPECT_EQ(network_of("2001:db8:1:2:3:4:5:6"), network_of("2001:db8:1:2::1"));
    EXPECT_NE(network_of("2001:db8:1:2::1"), network_of("2001:db8:1:3::1"));
    EXPECT_EQ(network_of("::ffff:192.0.2.7"), "192.0.2.7");
    EXPECT_EQ(network_of("fe80::1%eth0"), network_of("fe80::2"));
    EXPECT_EQ(network_of("not: an address"), "not: an address");
    EXPECT_EQ(network_of(""), "");
}

}  // namespace
}  // namespace plimsoll::http
