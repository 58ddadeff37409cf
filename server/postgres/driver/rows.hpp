#pragma once

#include "server/base/id.hpp"
#include "server/base/time.hpp"

#include <cstdint>
#include <memory>
#include <optional>
#include <string_view>
#include <vector>

struct pg_result;

namespace plimsoll::postgres {

// One value in PostgreSQL's binary format; a null pointer is NULL.
struct Cell {
    unsigned type;
    const char* data;
    int length;
};

// Decoders of the types that queries return. Requesting a type other than the column's, or a plain
// value for NULL, is a programming error and throws std::logic_error.
//   int64, int32 <- smallint, integer, bigint, oid      double <- real, double precision
//   string, string_view <- text, json, jsonb, enums, bytea (raw); string also <- uuid
template <class T>
T decode(const Cell& cell);

// The elements of a one-dimensional array.
std::vector<Cell> elements(const Cell& array);

template <class T>
struct Decoder {
    static T from(const Cell& cell) { return decode<T>(cell); }
};
template <class Tag>
struct Decoder<Id<Tag>> {
    static Id<Tag> from(const Cell& cell) { return {decode<std::int64_t>(cell)}; }
};
template <class T>
struct Decoder<std::optional<T>> {
    static std::optional<T> from(const Cell& cell) {
        return cell.data ? std::optional<T>(Decoder<T>::from(cell)) : std::nullopt;
    }
};
template <class T>
struct Decoder<std::vector<T>> {
    static std::vector<T> from(const Cell& cell) {
        std::vector<T> out;
        for (const Cell& element : elements(cell)) out.push_back(Decoder<T>::from(element));
        return out;
    }
};

// A row is a view into its Rows and must not outlive them.
class Row {
  public:
    Row(const pg_result* result, int index) : result_(result), index_(index) {}

    // By the name of the column; an unknown name throws std::logic_error.
    template <class T>
    T get(std::string_view column) const {
        return get<T>(column_index(column));
    }
    template <class T>
    T get(int column) const {
        return Decoder<T>::from(cell(column));
    }

  private:
    Cell cell(int column) const;
    int column_index(std::string_view name) const;

    const pg_result* result_;
    int index_;
};

// The result of one statement.
class Rows {
  public:
    explicit Rows(pg_result* owned = nullptr);

    int size() const;
    bool empty() const { return size() == 0; }
    Row operator[](int index) const { return Row(result_.get(), index); }
    // Rows affected by a statement that returns none.
    std::int64_t affected() const;

    class Iterator {
      public:
        Iterator(const Rows& rows, int index) : rows_(rows), index_(index) {}
        Row operator*() const { return rows_[index_]; }
        Iterator& operator++() {
            ++index_;
            return *this;
        }
        bool operator!=(const Iterator& other) const { return index_ != other.index_; }

      private:
        const Rows& rows_;
        int index_;
    };
    Iterator begin() const { return {*this, 0}; }
    Iterator end() const { return {*this, size()}; }

  private:
    struct Clear {
        void operator()(pg_result* result) const;
    };
    std::unique_ptr<pg_result, Clear> result_;
};

}  // namespace plimsoll::postgres
