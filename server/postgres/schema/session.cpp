#include "server/postgres/schema/session.hpp"

#include "server/postgres/sql.hpp"

#include <memory>

#include <libpq-fe.h>
#include <pqxx/connection>
#include <pqxx/except>
#include <pqxx/nontransaction>
#include <pqxx/transaction>

namespace plimsoll::postgres {
namespace {

std::string conninfo_value(const std::string& value) {
    std::string out = "'";
    for (const char c : value) {
        if (c == '\'' || c == '\\') out += '\\';
        out += c;
    }
    return out + "'";
}

constexpr int kOldestServer = 150000;

int process_of(pqxx::connection& connection) {
    return pqxx::nontransaction(connection).exec1("select pg_backend_pid()")[0].as<int>();
}

// Whether a pooler divides connections by transactions, and if so, whether a prepared statement can
// be used in another one. A pooler invents the process that it tells a client at the beginning, and
// only such a pooler gives two clients the same one.
enum class Sessions { own, shared, shared_without_statements };

Sessions sessions_of(const std::string& options) {
    pqxx::connection one(options);
    pqxx::connection other(options);
    const int process = process_of(one);
    if (process == one.backendpid() || process != process_of(other)) return Sessions::own;
    try {
        one.prepare("plimsoll_probe", "select 1");  // fails if an earlier probe left it there
        pqxx::nontransaction(one).exec_prepared("plimsoll_probe");
        pqxx::work holding(other);  // takes the connection that the statement was prepared on
        holding.exec("select 1");
        pqxx::nontransaction(one).exec_prepared("plimsoll_probe");
        return Sessions::shared;
    } catch (const pqxx::sql_error&) {
        return Sessions::shared_without_statements;
    }
}

}  // namespace

Result<std::string> session_options(const Target& target, const std::string& application_name) {
    char* error = nullptr;
    const std::unique_ptr<PQconninfoOption, decltype(&PQconninfoFree)> parsed(
        PQconninfoParse(target.conninfo.c_str(), &error), &PQconninfoFree);
    if (!parsed) {
        const std::string why = error == nullptr ? "out of memory" : error;
        PQfreemem(error);
        return fail(Errc::invalid_input, "The connection string cannot be read: " + why);
    }
    std::string options =
        "fallback_application_name=" + conninfo_value(application_name) + " connect_timeout='10'";
    for (const auto* option = parsed.get(); option->keyword != nullptr; ++option) {
        if (option->val == nullptr) continue;
        if (!target.user.empty() && std::string_view(option->keyword) == "user") continue;
        options += std::string(" ") + option->keyword + "=" + conninfo_value(option->val);
    }
    if (!target.user.empty()) options += " user=" + conninfo_value(target.user);
    return options;
}

Result<std::vector<Unsuitable>> examine(const Target& target) {
    TRY(const auto options, session_options(target, "plimsoll"));
    std::vector<Unsuitable> found;
    try {
        const auto sessions = sessions_of(options);
        if (sessions == Sessions::shared_without_statements) {
            found.push_back(
                {"A pooler such as PgBouncer divides connections by transactions and "
                 "does not keep prepared statements: use PgBouncer 1.21 or newer with "
                 "max_prepared_statements, pool_mode = session, or a direct connection.",
                 true});
        }
        if (sessions == Sessions::shared) {
            found.push_back(
                {"A pooler such as PgBouncer divides connections by transactions, so no "
                 "notification arrives: jobs start up to a second later than over a "
                 "direct connection or with pool_mode = session."});
        }
        pqxx::connection connection(options);
        if (connection.server_version() < kOldestServer) {
            found.push_back({"PostgreSQL has a version before 15.", true});
            return found;
        }
        pqxx::nontransaction work(connection);
        for (const auto& row : work.exec(sql::duties_unsuitable.text))
            found.push_back({row[1].as<std::string>(), row[0].as<bool>()});
        return found;
    } catch (const pqxx::failure& error) {
        return fail(Errc::unavailable,
                    std::string("The database refuses connections: ") + error.what());
    }
}

}  // namespace plimsoll::postgres
