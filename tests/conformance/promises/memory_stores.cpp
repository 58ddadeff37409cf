#include "tests/conformance/promises/stores.hpp"
#include "tests/fakes/fake_dataset_store.hpp"
#include "tests/fakes/fake_invitations.hpp"
#include "tests/fakes/fake_passwords.hpp"
#include "tests/fakes/fake_providers.hpp"
#include "tests/fakes/fake_schedules.hpp"
#include "tests/fakes/fake_shares.hpp"
#include "tests/fakes/fake_team_stores.hpp"

#include <utility>

namespace plimsoll::conformance {
namespace {

using queue::JobState;

class MemoryStores final : public Stores {
  public:
    MemoryStores(asio::io_context& io, std::string kind) : io_(io), kind_(std::move(kind)) {}

    queue::JobStore& jobs() override { return jobs_; }
    queue::DatasetStore& datasets() override { return datasets_; }
    queue::ShareStore& shares() override { return shares_; }
    teams::TeamRecordStore& team_records() override { return team_records_; }
    identity::IdentityStore& identity() override { return identity_; }
    identity::PasswordStore& passwords() override { return passwords_; }
    identity::InvitationStore& invitations() override { return invitations_; }
    identity::ProviderStore& providers() override { return providers_; }
    schedules::ScheduleStore& schedules() override { return schedules_; }
    webhooks::WebhookStore& webhooks() override { return webhooks_; }

    People make_people(const std::string& name) override {
        const auto user = await(io_, identity_.create_user({}, name, "", false)).value();
        const auto team = await(io_, identity_.create_team({{}, user.id, ""}, name)).value();
        return {user.id, team.id};
    }
    void age_passwords(std::chrono::seconds time) override { passwords_.age += time; }
    void add_device() override { shares_.devices.emplace(kind_, "cpu:0"); }
    void start_jobs() override {
        for (auto& [id, stored] : jobs_.jobs) {
            if (stored.job.state == JobState::queued) {
                jobs_.happen(id, JobState::running, "started");
            }
        }
    }
    void finish_jobs(bool well) override {
        start_jobs();
        for (auto& [id, stored] : jobs_.jobs) {
            if (stored.job.state == JobState::cancelling) {
                jobs_.happen(id, JobState::cancelled, "finished");
            } else if (stored.job.state == JobState::running && well) {
                succeed(stored);
            } else if (stored.job.state == JobState::running) {
                stored.job.tasks_failed = stored.job.tasks_total;
                stored.job.error = stored.job.last_error = "no such model";
                jobs_.happen(id, JobState::failed, "finished");
            }
        }
    }

  private:
    void succeed(fakes::FakeJobStore::Stored& stored) {
        for (const auto& task : stored.plan.tasks) {
            stored.chunks.push_back("results of " + task.input);
        }
        auto& job = stored.job;
        job.tasks_done = job.tasks_total;
        job.items_done = job.items_total;
        job.items_failed = job.tasks_total;  // one of each, as of done()
        stored.report = R"({"partials": )" + std::to_string(job.tasks_total) + "}";
        jobs_.happen(job.id, JobState::succeeded, "finished");
    }

    asio::io_context& io_;
    std::string kind_;
    fakes::FakeIdentity identity_;
    fakes::FakePasswords passwords_{identity_};
    fakes::FakeInvitations invitations_{identity_};
    fakes::FakeProviders providers_{identity_};
    fakes::FakeJobStore jobs_{identity_};
    fakes::FakeDatasetStore datasets_{identity_, jobs_};
    fakes::FakeShares shares_{identity_};
    fakes::FakeTeamRecords team_records_{identity_, jobs_};
    fakes::FakeSchedules schedules_{identity_, jobs_};
    fakes::FakeWebhooks webhooks_{identity_};
};

}  // namespace

std::unique_ptr<Stores> memory_stores(asio::io_context& io, const std::string& kind) {
    return std::make_unique<MemoryStores>(io, kind);
}

}  // namespace plimsoll::conformance
