#pragma once

#include "server/base/time.hpp"

#include <chrono>
#include <cstdint>
#include <string>

// PostgreSQL's binary formats: big-endian integers, times in microseconds since 2000-01-01 UTC.
namespace plimsoll::postgres::wire {

// Object ids of built-in types, fixed by pg_type.dat of PostgreSQL.
enum Oid : unsigned {
    boolean = 16,
    bytea = 17,
    int8 = 20,
    int2 = 21,
    int4 = 23,
    oid = 26,
    float4 = 700,
    float8 = 701,
    bytea_array = 1001,
    timestamp = 1114,
    timestamptz = 1184,
    timestamptz_array = 1185,
    interval = 1186,
    numeric = 1700,
    date = 1082,
    uuid = 2950,
    jsonb = 3802,
};

inline constexpr Timestamp epoch{std::chrono::sys_days{std::chrono::year{2000} / 1 / 1}};

template <class T>
void append(std::string& out, T value) {
    for (int shift = static_cast<int>(sizeof(T) * 8) - 8; shift >= 0; shift -= 8)
        out.push_back(static_cast<char>(static_cast<std::uint64_t>(value) >> shift));
}

template <class T>
T read(const char* data) {
    std::uint64_t value = 0;
    for (std::size_t i = 0; i < sizeof(T); ++i)
        value = value << 8 | static_cast<unsigned char>(data[i]);
    return static_cast<T>(value);
}

}  // namespace plimsoll::postgres::wire
