#pragma once

#include "server/postgres/driver/param.hpp"
#include "server/postgres/driver/query.hpp"
#include "server/postgres/driver/rows.hpp"

#include <string>
#include <vector>

namespace plimsoll::postgres {

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
