#include "server/postgres/schema/ledger.hpp"

#include <algorithm>
#include <iterator>

#include <pqxx/result>
#include <pqxx/row>

namespace plimsoll::postgres {
namespace {

std::string bytes_of(pqxx::transaction_base& transaction, std::string_view sha256) {
    return transaction.quote("\\x" + std::string(sha256)) + "::bytea";
}

}  // namespace

Ledger read_ledger(pqxx::transaction_base& transaction) {
    Ledger ledger;
    if (transaction.exec1("select to_regclass('plimsoll.schema_migration')")[0].is_null()) {
        return ledger;
    }
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
    for (const auto& row : transaction.exec("select version from plimsoll.schema_set")) {
        ledger.set = row[0].as<int>();
    }
    return ledger;
}

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

}  // namespace plimsoll::postgres
