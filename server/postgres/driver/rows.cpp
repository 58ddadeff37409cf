#include "server/postgres/driver/rows.hpp"

#include "server/postgres/driver/wire.hpp"

#include <bit>
#include <charconv>
#include <limits>
#include <stdexcept>

#include <libpq-fe.h>

namespace plimsoll::postgres {
namespace {

[[noreturn]] void wrong_type(const Cell& cell, const char* wanted) {
    if (!cell.data) throw std::logic_error(std::string("a column read as ") + wanted + " is NULL");
    throw std::logic_error("a column of type oid " + std::to_string(cell.type) + " is read as " +
                           wanted);
}

std::string format_uuid(const char* bytes) {
    static constexpr char digits[] = "0123456789abcdef";
    std::string out;
    for (int i = 0; i < 16; ++i) {
        if (i == 4 || i == 6 || i == 8 || i == 10) out.push_back('-');
        out.push_back(digits[static_cast<unsigned char>(bytes[i]) >> 4]);
        out.push_back(digits[bytes[i] & 15]);
    }
    return out;
}

}  // namespace

template <>
std::int64_t decode<std::int64_t>(const Cell& cell) {
    if (!cell.data) wrong_type(cell, "integer");
    switch (cell.type) {
        case wire::int8: return wire::read<std::int64_t>(cell.data);
        case wire::int4: return wire::read<std::int32_t>(cell.data);
        case wire::int2: return wire::read<std::int16_t>(cell.data);
        case wire::oid: return wire::read<std::uint32_t>(cell.data);
    }
    wrong_type(cell, "integer");
}

template <>
std::int32_t decode<std::int32_t>(const Cell& cell) {
    const auto value = decode<std::int64_t>(cell);
    if (value != static_cast<std::int32_t>(value)) wrong_type(cell, "a 32-bit integer");
    return static_cast<std::int32_t>(value);
}

template <>
double decode<double>(const Cell& cell) {
    if (cell.data && cell.type == wire::float8)
        return std::bit_cast<double>(wire::read<std::uint64_t>(cell.data));
    if (cell.data && cell.type == wire::float4)
        return std::bit_cast<float>(wire::read<std::uint32_t>(cell.data));
    wrong_type(cell, "double");
}

template <>
bool decode<bool>(const Cell& cell) {
    if (!cell.data || cell.type != wire::boolean) wrong_type(cell, "boolean");
    return *cell.data != 0;
}

template <>
Timestamp decode<Timestamp>(const Cell& cell) {
    if (!cell.data || cell.type != wire::timestamptz) wrong_type(cell, "timestamptz");
    const auto value = wire::read<std::int64_t>(cell.data);
    // The extreme values mean ±infinity; shifting them to 1970 would overflow.
    if (value == std::numeric_limits<std::int64_t>::max()) return Timestamp::max();
    if (value == std::numeric_limits<std::int64_t>::min()) return Timestamp::min();
    return wire::epoch + std::chrono::microseconds(value);
}

template <>
std::string_view decode<std::string_view>(const Cell& cell) {
    if (!cell.data) wrong_type(cell, "text");
    switch (cell.type) {
        case wire::boolean:
        case wire::int8:
        case wire::int2:
        case wire::int4:
        case wire::oid:
        case wire::float4:
        case wire::float8:
        case wire::timestamp:
        case wire::timestamptz:
        case wire::interval:
        case wire::numeric:
        case wire::date:
        case wire::uuid: wrong_type(cell, "text");
        case wire::jsonb:  // one byte of format version, then the text
            return {cell.data + 1, static_cast<std::size_t>(cell.length) - 1};
    }
    return {cell.data, static_cast<std::size_t>(cell.length)};
}

template <>
std::string decode<std::string>(const Cell& cell) {
    if (cell.data && cell.type == wire::uuid) return format_uuid(cell.data);
    return std::string(decode<std::string_view>(cell));
}

std::vector<Cell> elements(const Cell& array) {
    if (!array.data || array.length < 12) wrong_type(array, "array");
    const auto dimensions = wire::read<std::int32_t>(array.data);
    const auto type = wire::read<std::uint32_t>(array.data + 8);
    if (dimensions == 0) return {};
    if (dimensions != 1) wrong_type(array, "an array of one dimension");
    const auto count = wire::read<std::int32_t>(array.data + 12);
    std::vector<Cell> out;
    out.reserve(static_cast<std::size_t>(count));
    const char* at = array.data + 20;
    for (std::int32_t i = 0; i < count; ++i) {
        const auto length = wire::read<std::int32_t>(at);
        at += 4;
        out.push_back({type, length < 0 ? nullptr : at, length < 0 ? 0 : length});
        at += length < 0 ? 0 : length;
    }
    return out;
}

Cell Row::cell(int column) const {
    if (index_ < 0 || index_ >= PQntuples(result_)) throw std::logic_error("no such row");
    return {PQftype(result_, column),
            PQgetisnull(result_, index_, column) ? nullptr : PQgetvalue(result_, index_, column),
            PQgetlength(result_, index_, column)};
}

int Row::column_index(std::string_view name) const {
    const int columns = PQnfields(result_);
    for (int column = 0; column < columns; ++column)
        if (name == PQfname(result_, column)) return column;
    throw std::logic_error("the query returns no column \"" + std::string(name) + "\"");
}

Rows::Rows(pg_result* owned) : result_(owned) {}

void Rows::Clear::operator()(pg_result* result) const { PQclear(result); }

int Rows::size() const { return PQntuples(result_.get()); }

std::int64_t Rows::affected() const {
    const std::string_view text = PQcmdTuples(result_.get());
    std::int64_t count = 0;
    std::from_chars(text.data(), text.data() + text.size(), count);
    return count;
}

}  // namespace plimsoll::postgres
