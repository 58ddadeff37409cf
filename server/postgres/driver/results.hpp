#pragma once

#include "engine/base/result.hpp"
#include "server/postgres/driver/statement.hpp"

#include <string>
#include <string_view>
#include <utility>
#include <vector>

// What stores make of the rows of a statement.
namespace plimsoll::postgres {

template <class T>
Result<std::vector<T>> every(Result<Rows> rows, T (*read)(const Row&)) {
    if (!rows) return fail(std::move(rows.error()));
    std::vector<T> items;
    for (const Row row : *rows) items.push_back(read(row));
    return items;
}

template <class T>
Result<T> first(Result<Rows> rows, T (*read)(const Row&), Error if_none = {}) {
    if (!rows) return fail(std::move(rows.error()));
    if (rows->empty()) return fail(std::move(if_none));
    return read((*rows)[0]);
}

// The number that a statement says it has processed.
inline int to_done(const Row& row) {
    return row.get<int>("done");
}

// Only whether there are some.
inline Result<void> found(Result<Rows> rows, Error if_none) {
    if (!rows) return fail(std::move(rows.error()));
    if (rows->empty()) return fail(std::move(if_none));
    return {};
}

inline Result<void> done(Result<Rows> rows) {
    if (!rows) return fail(std::move(rows.error()));
    return {};
}

inline Result<Rows> last(Result<Replies> replies) {
    if (!replies) return fail(std::move(replies.error()));
    return std::move(replies->back());
}

// "The team has 20 webhooks, the maximum. Delete one first."
inline Error team_has_most(int most, std::string_view things, std::string_view end = "Delete") {
    return {Errc::conflict,
            "The team has " + std::to_string(most) + " " + std::string(things) + ", the maximum. " +
                std::string(end) + " one first.",
            {}};
}

}  // namespace plimsoll::postgres
