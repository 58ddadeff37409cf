#pragma once

#include "engine/base/result.hpp"
#include "migrations/schema.hpp"

#include <map>
#include <string>
#include <vector>

#include <pqxx/transaction_base>

namespace plimsoll::postgres {

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

// Throws pqxx::failure.
Ledger read_ledger(pqxx::transaction_base& transaction);

// Errc::conflict: the database has versions that are unknown or differ from ours.
Result<void> check_versions(const Ledger& ledger, const migrations::Schema& schema);

void record(pqxx::transaction_base& transaction, const migrations::Version& version);
void record(pqxx::transaction_base& transaction, const migrations::Function& function);
void record_set(pqxx::transaction_base& transaction, int set);

}  // namespace plimsoll::postgres
