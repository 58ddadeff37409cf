#include "server/postgres/cluster/embedded_settings.hpp"
#include "server/postgres/database.hpp"
#include "server/postgres/workers/duties.hpp"
#include "tests/conformance/promises/stores.hpp"

#include <optional>
#include <stdexcept>
#include <utility>

namespace plimsoll::conformance {
namespace {

class PostgresStores final : public Stores {
  public:
    PostgresStores(asio::io_context& io, std::string kind)
        : io_(io),
          kind_(std::move(kind)),
          server_(io.get_executor(), Cluster::get().as(postgres::kAppRole)) {
        server_.start();
        must(server_.background().duties.run("ensure_partitions"));
    }

    queue::JobStore& jobs() override { return server_.stores().jobs; }
    queue::DatasetStore& datasets() override { return server_.stores().datasets; }
    queue::ShareStore& shares() override { return server_.stores().shares; }
    teams::TeamRecordStore& team_records() override { return server_.stores().records; }
    identity::IdentityStore& identity() override { return server_.stores().identity; }
    identity::PasswordStore& passwords() override { return server_.stores().passwords; }
    identity::InvitationStore& invitations() override { return server_.stores().invitations; }
    identity::ProviderStore& providers() override { return server_.stores().providers; }
    schedules::ScheduleStore& schedules() override { return server_.stores().schedules; }
    webhooks::WebhookStore& webhooks() override { return server_.stores().webhooks; }

    People make_people(const std::string& name) override { return conformance::make_people(name); }

    void age_passwords(std::chrono::seconds time) override {
        const auto ago = " - interval '" + std::to_string(time.count()) + " seconds'";
        Cluster::get().execute("update plimsoll.password_attempt set last_at = last_at" + ago);
        Cluster::get().execute("update plimsoll.password_link set expires_at = expires_at" + ago);
    }
    void add_device() override {
        if (!worker_) worker_.emplace(io_, kind_, "cpu", "cpu:0");
    }
    void start_jobs() override {
        add_device();
        claimed_ = claim(*worker_);
    }
    void finish_jobs(bool well) override {
        if (!claimed_) start_jobs();
        auto reports = done(*claimed_);
        for (auto& report : reports) {
            if (well) break;
            report.outcome = queue::TaskReport::Outcome::failed;
            report.error = "no such model";
        }
        must(worker_->store().complete(worker_->handle, claimed_->fence, reports));
        claimed_.reset();
        if (!host_) host_.emplace(io_, kind_, "host", "host");
        const auto merges = claim(*host_);
        if (merges.tasks.empty()) return;
        must(host_->store().complete(host_->handle, merges.fence, done(merges)));
    }

  private:
    template <class T>
    T must(asio::awaitable<Result<T>> call) {
        auto result = await(io_, std::move(call));
        if (!result) throw std::runtime_error(result.error().message);
        return std::move(*result);
    }
    queue::Claim claim(WorkerProcess& worker) {
        return must(worker.store().claim(worker.handle, 1000, 1000));
    }

    asio::io_context& io_;
    std::string kind_;
    postgres::ServerDatabase server_;
    std::optional<WorkerProcess> worker_;
    std::optional<WorkerProcess> host_;
    std::optional<queue::Claim> claimed_;
};

}  // namespace

std::unique_ptr<Stores> postgres_stores(asio::io_context& io, const std::string& kind) {
    return std::make_unique<PostgresStores>(io, kind);
}

}  // namespace plimsoll::conformance
