#include "server/postgres/schema/migrator.hpp"

#include <cstdlib>
#include <memory>
#include <string>

#include <libpq-fe.h>

namespace plimsoll::postgres {
namespace {

using migrations::Migration;
using Answer = std::unique_ptr<PGresult, decltype(&PQclear)>;

// How long we wait for another migrator, or for a lock that a migration needs on a table in use.
constexpr const char* kLimits = "set local lock_timeout = '60s'";

constexpr const char* kLock = "select pg_advisory_xact_lock(7093421775110284117)";

class Session {
  public:
    explicit Session(const Target& target) {
        const char* keywords[] = {"dbname", "fallback_application_name", "connect_timeout",
                                  target.user.empty() ? nullptr : "user", nullptr};
        const char* values[] = {target.conninfo.c_str(), "plimsoll migrate", "10",
                                target.user.c_str(), nullptr};
        handle_.reset(PQconnectdbParams(keywords, values, 1));
        PQsetNoticeProcessor(handle_.get(), [](void*, const char*) {}, nullptr);
    }

    bool is_open() const { return PQstatus(handle_.get()) == CONNECTION_OK; }
    std::string message() const { return PQerrorMessage(handle_.get()); }

    Result<Answer> run(const std::string& sql) {
        Answer answer(PQexec(handle_.get(), sql.c_str()), &PQclear);
        const auto status = PQresultStatus(answer.get());
        if (status == PGRES_COMMAND_OK || status == PGRES_TUPLES_OK) return answer;
        return fail(Errc::unavailable, message());
    }

  private:
    Handle handle_;
};

// How many of the known migrations are applied, after checking that they are the same ones.
Result<int> applied(Session& session, std::initializer_list<Migration> known) {
    auto exists = session.run("select to_regclass('plimsoll.schema_migration') is not null");
    if (!exists) return fail(std::move(exists.error()));
    if (*PQgetvalue(exists->get(), 0, 0) == 'f') return 0;
    auto rows = session.run(
        "select version, encode(sha256, 'hex'), name from plimsoll.schema_migration "
        "order by version");
    if (!rows) return fail(std::move(rows.error()));
    const int count = PQntuples(rows->get());
    for (int i = 0; i < count; ++i) {
        const int version = std::atoi(PQgetvalue(rows->get(), i, 0));
        if (version > static_cast<int>(known.size())) {
            const int newest = std::atoi(PQgetvalue(rows->get(), count - 1, 0));
            return fail(Errc::conflict, "The database's schema is version " +
                                            std::to_string(newest) + ", this program knows " +
                                            std::to_string(known.size()) +
                                            ": use the newer plimsoll that made it.");
        }
        const Migration& ours = known.begin()[version - 1];
        const std::string_view text = PQgetvalue(rows->get(), i, 1);
        if (version != i + 1 || (text != ours.sha256 && text != ours.formerly)) {
            return fail(Errc::conflict, "Migration " + std::string(ours.name) +
                                            " was applied to the database with another text "
                                            "than this program's (recorded as " +
                                            PQgetvalue(rows->get(), i, 2) + ").");
        }
    }
    return count;
}

Result<void> apply(Session& session, const Migration& migration) {
    auto done = session.run(std::string(migration.sql));
    if (!done) {
        return fail(Errc::unavailable, "Migration " + std::string(migration.name) +
                                           " failed: " + done.error().message);
    }
    auto recorded = session.run(
        "set local role plimsoll_owner;"
        "insert into plimsoll.schema_migration (version, name, sha256) values (" +
        std::to_string(migration.version) + ", '" + std::string(migration.name) + "', '\\x" +
        std::string(migration.sha256) + "')");
    if (!recorded) return fail(std::move(recorded.error()));
    return {};
}

// One transaction: the lock, what is applied, and the next migration if there is one. Returns the
// number of migrations that were applied before it.
Result<int> step(Session& session, std::initializer_list<Migration> known) {
    for (const char* sql : {"begin", kLimits, kLock}) {
        if (auto done = session.run(sql); !done) return fail(std::move(done.error()));
    }
    auto count = applied(session, known);
    if (!count) return count;
    if (*count < static_cast<int>(known.size())) {
        if (auto done = apply(session, known.begin()[*count]); !done) {
            return fail(std::move(done.error()));
        }
    }
    if (auto done = session.run("commit"); !done) return fail(std::move(done.error()));
    return count;
}

}  // namespace

Result<MigrationReport> migrate(const Target& target, std::initializer_list<Migration> known) {
    Session session(target);
    if (!session.is_open()) {
        return fail(Errc::unavailable, "The database refuses connections: " + session.message());
    }
    MigrationReport report{-1, 0};
    do {
        auto before = step(session, known);
        if (!before) return fail(std::move(before.error()));
        if (report.before < 0) report.before = *before;
        report.after = *before;
    } while (report.after < static_cast<int>(known.size()));
    return report;
}

}  // namespace plimsoll::postgres
