#include "server/queue/share_store.hpp"

#include "server/postgres/jobs/share_rows.hpp"
#include "server/postgres/pool/pool.hpp"
#include "server/postgres/pool/scope.hpp"
#include "server/postgres/sql.hpp"
#include "server/postgres/stores.hpp"

namespace plimsoll::postgres {
namespace {

Error no_such_team() { return {Errc::not_found, "The team was not found.", {}}; }

class ShareStore final : public queue::ShareStore {
  public:
    explicit ShareStore(Pool& pool) : pool_(pool) {}

    Answer<std::vector<queue::Share>> shares(std::optional<TeamId> team) override {
        co_return every(co_await run(Statement::of(sql::shares_list, team), team), to_share);
    }

    Answer<std::vector<queue::TeamLimit>> limits(std::optional<TeamId> team) override {
        co_return every(co_await run(Statement::of(sql::shares_limits, team), team), to_team_limit);
    }

    Answer<std::vector<queue::Hold>> holds(std::optional<TeamId> team) override {
        co_return every(co_await run(Statement::of(sql::shares_holds, team), team), to_hold);
    }

    Answer<std::vector<queue::ClassOverview>> classes() override {
        co_return every(co_await run(Statement::of(sql::shares_classes)), to_class_overview);
    }

    Answer<std::vector<queue::VacuumHolder>> vacuum_holders() override {
        co_return every(co_await run(Statement::of(sql::shares_vacuum_holders)), to_vacuum_holder);
    }

    Answer<std::vector<queue::Usage>> usage(queue::UsageQuery query) override {
        co_return every(co_await run(Statement::of(sql::shares_usage, query.team, query.from,
                                                   query.to, query.by, query.limit),
                                     query.team),
                        to_usage);
    }

    Answer<void> set_share(Author author, TeamId team, std::string device_class,
                           queue::ShareTerms terms) override {
        std::optional<double> quota;
        if (terms.quota) quota = terms.quota->seconds;
        co_return found(
            co_await edit(
                author, Statement::of(sql::shares_set, team, std::move(device_class), terms.weight,
                                      terms.cap, quota, terms.quota ? terms.quota->period : "day",
                                      author.user, author.request_id, author.seen)),
            not_edited(author, no_such_team()));
    }

    Answer<void> set_limits(Author author, TeamId team, queue::TeamLimits limits) override {
        co_return found(
            co_await edit(author, Statement::of(sql::shares_set_limit, team, limits.queued_jobs,
                                                limits.jobs_per_minute, author.user,
                                                author.request_id, author.seen)),
            not_edited(author, no_such_team()));
    }

    Answer<void> set_class(Author author, std::string device_class, double half_life_seconds,
                           double entry_limit_seconds) override {
        co_return found(
            co_await edit(author, Statement::of(sql::shares_set_class, std::move(device_class),
                                                half_life_seconds, entry_limit_seconds, author.user,
                                                author.request_id, author.seen)),
            not_edited(author, {Errc::not_found, "The device class was not found.", {}}));
    }

    Answer<std::int64_t> hold(Author author, queue::NewHold hold) override {
        const auto subject = hold.team                   ? std::to_string(hold.team->value)
                             : hold.device_class.empty() ? hold.node
                                                         : hold.device_class;
        CO_TRY(auto rows, co_await run(Statement::of(sql::shares_hold, hold.scope, subject,
                                                     hold.device, hold.mode, hold.reason,
                                                     hold.by_admin, author.user, author.request_id),
                                       hold.team));
        const auto id = rows[0].get<std::optional<std::int64_t>>("id");
        if (!id) co_return fail(Errc::not_found, "The team, class, node or device was not found.");
        co_return *id;
    }

    Answer<void> resume(Author author, std::int64_t id, std::optional<TeamId> team) override {
        CO_TRY(auto rows, co_await run(Statement::of(sql::shares_resume, id, team, author.user,
                                                     author.request_id),
                                       team));
        if (!rows[0].get<bool>("found")) co_return fail(Errc::not_found, "The hold was not found.");
        co_return Result<void>{};
    }

    Answer<void> ask_cleanup(Author author, std::string node, std::string device) override {
        CO_TRY(auto rows,
               co_await run(Statement::of(sql::devices_ask_cleanup, std::move(node),
                                          std::move(device), author.user, author.request_id)));
        if (rows.empty()) co_return fail(Errc::not_found, "The device was not found.");
        if (rows[0].get<std::string_view>("outcome") == "gone")
            co_return fail(Errc::conflict, "No worker runs this device now, so it caches nothing.");
        co_return Result<void>{};
    }

  private:
    // In a transaction that may write audit rows of any team.
    // A change by an author who may have seen a state other than the current one.
    awaitable<Result<Rows>> edit(const Author& author, Statement statement) {
        Batch batch;
        batch.push_back(across_teams());
        if (author.seen) batch.push_back(Statement::of(sql::shares_lock_terms));
        batch.push_back(std::move(statement));
        co_return last(co_await pool_.run(std::move(batch), kCallTimeout));
    }

    // In the team's transaction, or in one across teams.
    awaitable<Result<Rows>> run(Statement statement, std::optional<TeamId> team = std::nullopt) {
        return run_in(pool_, team ? in_team(*team) : across_teams(), std::move(statement));
    }

    Pool& pool_;
};

}  // namespace

std::unique_ptr<queue::ShareStore> make_share_store(Pool& pool) {
    return std::make_unique<ShareStore>(pool);
}

}  // namespace plimsoll::postgres
