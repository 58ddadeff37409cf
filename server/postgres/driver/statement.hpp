#pragma once

#include "server/postgres/driver/param.hpp"
#include "server/postgres/driver/rows.hpp"

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace plimsoll::postgres {

// One SQL statement with a name for logs and errors. The texts live in queries/*.sql and become
// constants at build time (`sql::…` of the generated sql.hpp), so an unknown name does not compile.
struct Query {
    std::string_view name;
    const char* text;
    // Name of the prepared statement, which changes with the text; null: parsed each time.
    const char* prepared = nullptr;
};

// A query with its parameters, in order from $1.
struct Statement {
    Query query;
    std::vector<Param> params;

    template <class... Values>
    static Statement of(const Query& query, Values&&... values) {
        Statement statement{query, {}};
        statement.params.reserve(sizeof...(values));
        (statement.params.emplace_back(std::forward<Values>(values)), ...);
        return statement;
    }
};

// Statements sent in one round trip as one transaction.
using Batch = std::vector<Statement>;

// The results of a batch's statements, in order.
using Replies = std::vector<Rows>;

}  // namespace plimsoll::postgres
