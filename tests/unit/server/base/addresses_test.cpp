#include "server/base/addresses.hpp"

#include <gtest/gtest.h>

namespace plimsoll {
namespace {

TEST(Networks, ContainTheirAddresses) {
    const auto networks = Networks::parse(" 10.1.2.0/24,fd00::/8, 192.0.2.7 ,, ::1").value();
    const auto has = [&](const char* address) {
        return networks.contain(boost::asio::ip::make_address(address));
    };
    for (const auto* inside :
         {"10.1.2.0", "10.1.2.255", "::ffff:10.1.2.3", "fd12::1", "192.0.2.7", "::1"}) {
        EXPECT_TRUE(has(inside)) << inside;
    }
    for (const auto* outside : {"10.1.3.0", "192.0.2.8", "fe80::1", "::2", "127.0.0.1"}) {
        EXPECT_FALSE(has(outside)) << outside;
    }
    EXPECT_TRUE(Networks::parse(" , ").value().empty());
}

TEST(Networks, InvalidEntriesAreNamed) {
    for (const std::string wrong :
         {"10.0.0.0/33", "10.0.0.300", "::1/129", "localhost", "10.0.0.0/"}) {
        const auto parsed = Networks::parse("10.0.0.0/8, " + wrong);
        ASSERT_FALSE(parsed) << wrong;
        EXPECT_EQ(parsed.error().message,
                  "must list networks or addresses like 10.1.2.0/24, not " + wrong);
    }
}

}  // namespace
}  // namespace plimsoll
