#include "server/postgres/schema/migrator.hpp"

#include "migrations/schema.hpp"
#include "server/postgres/schema/session.hpp"

#include <algorithm>
#include <exception>
#include <iterator>
#include <map>
#include <string>
#include <vector>

#include <pqxx/connection>
#include <pqxx/errorhandler>
#include <pqxx/except>
#include <pqxx/result>
#include <pqxx/row>
#include <pqxx/transaction>
#include <pqxx/transaction_base>

namespace plimsoll::postgres {
namespace {

using migrations::Function;
using migrations::Schema;

// The database's record of its schema.
struct Ledger {
    struct Version {
        int number;
        std::string name;
        std::string sha256;  // in hexadecimal, as below
    };
    std::vector<Version> versions;  // by number; empty: there is no schema
    std::map<std::string, std::string, std::less<>>
        functions;  // hash by name, including the rights
    int set = 0;    // number of the function set
};

std::string bytes_of(pqxx::transaction_base& transaction, std::string_view sha256) {
    return transaction.quote("\\x" + std::string(sha256)) + "::bytea";
}

// Throws pqxx::failure.
Ledger read_ledger(pqxx::transaction_base& transaction) {
    Ledger ledger;
    if (transaction.exec1("select to_regclass('plimsoll.schema_migration')")[0].is_null())
        return ledger;
    for (const auto& row : transaction.exec(
             "select version, name, encode(sha256, 'hex') from plimsoll.schema_migration "
             "order by version")) {
        ledger.versions.push_back(
            {row[0].as<int>(), row[1].as<std::string>(), row[2].as<std::string>()});
    }
    for (const auto& row :
         transaction.exec("select name, encode(sha256, 'hex') from plimsoll.schema_function")) {
        ledger.functions.emplace(row[0].as<std::string>(), row[1].as<std::string>());
    }
    for (const auto& row : transaction.exec("select version from plimsoll.schema_set"))
        ledger.set = row[0].as<int>();
    return ledger;
}

// Errc::conflict: the database has versions that are unknown or differ from ours.
Result<void> check_versions(const Ledger& ledger, const migrations::Schema& schema) {
    for (std::size_t i = 0; i < ledger.versions.size(); ++i) {
        const auto& theirs = ledger.versions[i];
        if (theirs.number > static_cast<int>(schema.versions.size())) {
            return fail(Errc::conflict, "The database's schema is version " +
                                            std::to_string(ledger.versions.back().number) +
                                            ", but this program's is version " +
                                            std::to_string(schema.versions.size()) +
                                            ": use the newer plimsoll that created it.");
        }
        if (theirs.number != static_cast<int>(i) + 1 ||
            theirs.sha256 != schema.versions[i].sha256) {
            return fail(Errc::conflict, "Version " + std::to_string(theirs.number) +
                                            " of the schema (" + theirs.name +
                                            ") in the database differs from this program's: dump "
                                            "your data and load it into a "
                                            "new database.");
        }
    }
    return {};
}

void record(pqxx::transaction_base& transaction, const migrations::Version& version) {
    transaction.exec0("insert into plimsoll.schema_migration (version, name, sha256) values (" +
                      std::to_string(version.number) + ", " +
                      transaction.quote(std::string(version.name)) + ", " +
                      bytes_of(transaction, version.sha256) + ")");
}

void record(pqxx::transaction_base& transaction, const migrations::Function& function) {
    transaction.exec0("insert into plimsoll.schema_function (name, sha256) values (" +
                      transaction.quote(std::string(function.name)) + ", " +
                      bytes_of(transaction, function.sha256) +
                      ") on conflict (name) do update set sha256 = excluded.sha256");
}

void record_set(pqxx::transaction_base& transaction, int set) {
    transaction.exec0("insert into plimsoll.schema_set (version) values (" + std::to_string(set) +
                      ") on conflict ((true)) do update set version = excluded.version");
}

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
        TRY_DO(check_versions(ledger_, schema_));
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
    TRY(auto options, session_options(target, "plimsoll migrate"));
    std::string step;
    try {
        pqxx::connection connection(options);
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
