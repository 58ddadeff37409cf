#pragma once

#include "server/http/access/password_service.hpp"
#include "server/http/access/provider_service.hpp"
#include "server/http/serving/http_server.hpp"
#include "server/jobs/registry.hpp"
#include "tests/fakes/fake_dataset_store.hpp"
#include "tests/fakes/fake_identity.hpp"
#include "tests/fakes/fake_invitations.hpp"
#include "tests/fakes/fake_job_store.hpp"
#include "tests/fakes/fake_passwords.hpp"
#include "tests/fakes/fake_providers.hpp"
#include "tests/fakes/fake_schedules.hpp"
#include "tests/fakes/fake_shares.hpp"
#include "tests/fakes/fake_team_stores.hpp"

#include <thread>

#include <gtest/gtest.h>

namespace plimsoll::http::test {

using fakes::FakeDatasetStore;
using fakes::FakeIdentity;
using fakes::FakeJobStore;
using fakes::FakePasswords;
using fakes::FakeSchedules;
using fakes::FakeShares;
using fakes::FakeSignals;
using fakes::FakeTeamRecords;
using fakes::FakeWebhooks;

// The real server with everything behind it in memory. It runs from start() to the test's end.
class InMemoryServer : public ::testing::Test {
  protected:
    InMemoryServer();
    ~InMemoryServer() override;

    // Its port.
    Result<unsigned short> start(const ListenOptions& options);

    boost::asio::io_context io_;
    boost::asio::thread_pool pool_{1};
    SystemClock clock_;
    FakeIdentity identity_;
    FakePasswords passwords_{identity_};
    PasswordService password_service_{passwords_, {}, PLIMSOLL_HASHER};
    fakes::FakeInvitations invitations_{identity_};
    fakes::FakeProviders providers_{identity_};
    ProviderService provider_service_{providers_, identity_, clock_, nullptr};
    FakeJobStore jobs_{identity_};
    FakeDatasetStore datasets_{identity_, jobs_};
    FakeSignals signals_;
    FakeShares shares_{identity_};
    FakeWebhooks webhooks_{identity_};
    FakeTeamRecords records_{identity_, jobs_};
    planning::Planner planner_{datasets_, jobs::contracts(), {records_, jobs_}, pool_};
    FakeSchedules schedules_{identity_, jobs_};
    fakes::FakeReportLinks report_links_;
    fakes::FakeAudit audit_;
    fakes::FakeIdempotency idempotency_;
    const Stores stores_{jobs_,      signals_,      datasets_,  shares_,  identity_,
                         passwords_, invitations_,  providers_, audit_,   idempotency_,
                         records_,   report_links_, schedules_, webhooks_};
    Draining draining_;
    outbound::AllowList webhook_targets_ =
        outbound::AllowList::parse("https://hooks.example.com", "").value();
    std::unique_ptr<HttpServer> server_;

  private:
    std::thread thread_;
};

}  // namespace plimsoll::http::test
