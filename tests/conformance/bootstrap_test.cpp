#include "server/identity/store.hpp"
#include "server/postgres/cluster/embedded_settings.hpp"
#include "server/postgres/database.hpp"
#include "server/postgres/schema/migrator.hpp"
#include "tests/conformance/cluster/cluster.hpp"

#include <gtest/gtest.h>

namespace plimsoll::conformance {
namespace {

TEST(BootstrapTest, TwoFirstStartsMakeOneSystemAdmin) {
    auto& cluster = Cluster::get();
    const auto database = unique_test_name();
    cluster.execute("create database \"" + database + "\"");
    auto target = cluster.superuser();
    target.conninfo += " dbname=" + database;
    ASSERT_TRUE(postgres::migrate(target));
    target.user = postgres::kAppRole;

    asio::io_context io;
    postgres::ServerDatabase one(io.get_executor(), target);
    postgres::ServerDatabase two(io.get_executor(), target);
    const auto end = SystemClock().now() + std::chrono::hours(1);
    one.start();
    two.start();
    int answered = 0;
    int made = 0;
    for (auto* server : {&one, &two}) {
        asio::co_spawn(
            io, server->stores().identity.bootstrap("admin", "Research", std::string(32, 'l'), end),
            [&](std::exception_ptr, Result<bool> result) {
                ++answered;
                made += result && *result;
            });
    }
    while (answered < 2 && io.run_one()) {
    }
    EXPECT_EQ(made, 1);
    const auto users = await(io, one.stores().identity.users());
    ASSERT_TRUE(users);
    ASSERT_EQ(users->size(), 1u);
    EXPECT_TRUE(users->front().user.administrator);
    const auto who = await(io, two.stores().identity.spend_sign_in_link(std::string(32, 'l')));
    ASSERT_TRUE(who);
    const auto members = await(io, one.stores().identity.members(who->team));
    ASSERT_TRUE(members);
    EXPECT_EQ(members->front().role, identity::Role::owner);
}

}  // namespace
}  // namespace plimsoll::conformance
