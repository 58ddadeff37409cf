#pragma once

#include "server/http/access/password_service.hpp"
#include "server/http/access/provider_service.hpp"
#include "server/http/serving/http_server.hpp"
#include "server/jobs/registry.hpp"
#include "server/postgres/database.hpp"
#include "tests/conformance/cluster/cluster.hpp"

#include <string>
#include <string_view>
#include <thread>

#include <boost/asio/io_context.hpp>
#include <boost/asio/thread_pool.hpp>
#include <gtest/gtest.h>

namespace plimsoll::http::test {

// Secrets of those who are in every test's database: a team "research" (1) with ada (1), owner and
// system admin, and vera (2), viewer; a team "trading" (2) with tom (3), owner.
struct Secrets {
    std::string ada, vera, tom;
    std::string narrow;  // ada's, with jobs:read alone
    std::string brief;   // ada's, until kBriefEnd
    std::string link;    // signs ada in, once
    static constexpr std::string_view kBriefEnd = "2998-01-01T00:00:00.000Z";
};

// The real server on a database of its own, which has one device, node-a/host. It runs from start()
// to the test's end.
class DatabaseServer : public ::testing::Test {
  protected:
    DatabaseServer();
    ~DatabaseServer() override;

    // Its port.
    Result<unsigned short> start(const ListenOptions& options);

    // As in TestDatabase.
    std::string execute(const std::string& sql) const { return database_.execute(sql); }
    // Who must wait before the next password waits an hour longer: no machine is too slow to see
    // it.
    void prolong_waits() const {
        execute("update plimsoll.password_attempt set last_at = last_at + interval '1 hour'");
    }

    const Secrets& identity_;
    conformance::TestDatabase database_;
    boost::asio::io_context io_;
    boost::asio::thread_pool pool_{1};
    SystemClock clock_;
    postgres::ServerDatabase server_database_;
    const Stores& stores_ = server_database_.stores();
    PasswordService password_service_{stores_.passwords, {}, PLIMSOLL_HASHER};
    ProviderService provider_service_{stores_.providers, stores_.identity, clock_, nullptr};
    planning::Planner planner_{
        stores_.datasets, jobs::contracts(), {stores_.records, stores_.jobs}, pool_};
    Draining draining_;
    outbound::AllowList webhook_targets_ =
        outbound::AllowList::parse("https://hooks.example.com", "").value();
    std::unique_ptr<HttpServer> server_;

  private:
    std::thread thread_;
};

}  // namespace plimsoll::http::test
