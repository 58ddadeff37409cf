#pragma once

#include "server/base/id.hpp"
#include "server/base/time.hpp"
#include "server/postgres/driver/rows.hpp"

#include <concepts>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace plimsoll::postgres {

// A column or parameter that may be NULL.
template <class T>
using Maybe = std::optional<T>;

// NULL for an empty text.
inline Maybe<std::string> unless_empty(std::string text) {
    return text.empty() ? std::nullopt : Maybe<std::string>(std::move(text));
}

// Marks a value as `bytea`; a plain string is sent as text, which must be UTF-8 without NUL.
struct Bytes {
    std::string data;
};

// One encoded statement parameter. Numbers, text and their arrays are sent as text of unknown type,
// so that PostgreSQL infers the type from the context (smallint, jsonb, an enum); bytea,
// timestamptz and their arrays are sent as binary of exactly that type.
class Param {
  public:
    Param(std::nullopt_t) : null_(true) {}
    Param(bool value);
    Param(double value);
    template <std::integral T>
        requires(!std::same_as<T, bool>)
    Param(T value) : bytes_(std::to_string(value)) {}
    Param(std::string value) : bytes_(std::move(value)) {}
    Param(std::string_view value) : bytes_(value) {}
    Param(const char* value) : bytes_(value) {}
    template <class Tag>
    Param(Id<Tag> id) : Param(id.value) {}
    Param(Bytes value);
    Param(Timestamp value);
    Param(const std::vector<std::int64_t>& values);
    Param(const std::vector<std::int32_t>& values);
    Param(const std::vector<double>& values);
    Param(const std::vector<std::string>& values);
    Param(const std::vector<std::optional<std::string>>& values);
    Param(const std::vector<Bytes>& values);
    Param(const std::vector<std::optional<Bytes>>& values);
    Param(const std::vector<std::optional<Timestamp>>& values);
    template <class T>
    Param(std::optional<T> value) : Param(std::nullopt) {
        if (value) *this = Param(std::move(*value));
    }

    // As libpq expects: null pointer for NULL, type 0 for "infer", format 1 for binary.
    const char* data() const { return null_ ? nullptr : bytes_.c_str(); }
    int length() const { return static_cast<int>(bytes_.size()); }
    unsigned type() const { return type_; }
    int format() const { return binary_ ? 1 : 0; }
    std::size_t size() const { return bytes_.size(); }
    // libpq would silently end a text there.
    bool is_text_with_nul() const { return !binary_ && bytes_.find('\0') != std::string::npos; }

  private:
    std::string bytes_;
    unsigned type_ = 0;
    bool binary_ = false;
    bool null_ = false;
};

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
    // What comes before it in its batch is committed first.
    bool begins_transaction = false;
    // Its last parameter is the server's process that the session began with (pool/scope.hpp:
    // on_disk).
    bool names_process = false;

    template <class... Values>
    static Statement of(const Query& query, Values&&... values) {
        Statement statement{query, {}};
        statement.params.reserve(sizeof...(values));
        (statement.params.emplace_back(std::forward<Values>(values)), ...);
        return statement;
    }
};

// Statements sent in one round trip, as one transaction unless a statement begins another.
using Batch = std::vector<Statement>;

// The results of a batch's statements, in order.
using Replies = std::vector<Rows>;

}  // namespace plimsoll::postgres
