#include "server/postgres/schema/migrator.hpp"

#include "server/postgres/schema/ledger.hpp"
#include "server/postgres/schema/session.hpp"

#include <exception>
#include <string>
#include <utility>

#include <pqxx/connection>
#include <pqxx/errorhandler>
#include <pqxx/except>
#include <pqxx/transaction>

namespace plimsoll::postgres {
namespace {

using migrations::Function;
using migrations::Schema;

// How long to wait for another migrator, or for a lock that a version needs on a table in use.
constexpr const char* kLockTimeout = "set local lock_timeout = '60s'";

constexpr const char* kLock = "select pg_advisory_xact_lock(7093421775110284117)";

class Migration {
  public:
    Migration(pqxx::work& work, const Schema& schema) : work_(work), schema_(schema) {}

    // Throws pqxx::failure; step() says where.
    Result<MigrationReport> run() {
        work_.exec0(kLockTimeout);
        work_.exec(kLock);
        ledger_ = read_ledger(work_);
        if (!ledger_.versions.empty()) report_.before = ledger_.versions.back().number;
        if (auto same = check_versions(ledger_, schema_); !same) {
            return fail(std::move(same.error()));
        }
        apply_versions();
        report_.newer_functions = ledger_.set > schema_.set;
        if (!report_.newer_functions) apply_functions();
        report_.after = static_cast<int>(schema_.versions.size());
        return report_;
    }

    const std::string& step() const { return step_; }

  private:
    void apply(const std::string& what, std::string_view sql) {
        step_ = what;
        work_.exec(std::string(sql));
        work_.exec0("reset role");
        step_.clear();
    }

    void apply_versions() {
        for (const auto& version : schema_.versions.subspan(ledger_.versions.size())) {
            apply("Version " + std::to_string(version.number) + " of the schema (" +
                      std::string(version.name) + ")",
                  version.sql);
            record(work_, version);
            changed_ = true;
        }
    }

    bool differs(const Function& function) const {
        const auto known = ledger_.functions.find(function.name);
        return known == ledger_.functions.end() || known->second != function.sha256;
    }

    void apply_functions() {
        work_.exec0("set local search_path = plimsoll");
        for (const auto& function : schema_.functions) {
            if (!differs(function)) continue;
            apply("The function " + std::string(function.name), function.sql);
            record(work_, function);
            ++report_.functions;
        }
        if (changed_ || report_.functions > 0 || differs(schema_.rights)) {
            apply("The rights", schema_.rights.sql);
            record(work_, schema_.rights);
        }
        if (ledger_.set != schema_.set) record_set(work_, schema_.set);
    }

    pqxx::work& work_;
    const Schema& schema_;
    Ledger ledger_;
    MigrationReport report_;
    bool changed_ = false;  // versions were applied
    std::string step_;      // what is being applied, for the message
};

}  // namespace

Result<MigrationReport> migrate(const Target& target, const Schema& schema) {
    auto options = session_options(target, "plimsoll migrate");
    if (!options) return fail(std::move(options.error()));
    std::string step;
    try {
        pqxx::connection connection(*options);
        const pqxx::quiet_errorhandler quiet(connection);
        pqxx::work work(connection);
        Migration migration(work, schema);
        try {
            auto report = migration.run();
            if (report) work.commit();
            return report;
        } catch (const pqxx::failure&) {
            step = migration.step();
            throw;
        }
    } catch (const pqxx::broken_connection& error) {
        return fail(Errc::unavailable,
                    std::string("The connection to the database failed: ") + error.what());
    } catch (const pqxx::failure& error) {
        return fail(Errc::unavailable,
                    step.empty() ? std::string(error.what()) : step + " failed: " + error.what());
    } catch (const std::exception& error) {
        // libpqxx's errors of conversion and of use: a ledger with a different structure than ours.
        return fail(Errc::internal, std::string("The schema cannot be read: ") + error.what());
    }
}

}  // namespace plimsoll::postgres
