#include "server/postgres/driver/statement.hpp"

#include "server/postgres/driver/wire.hpp"

#include <charconv>
#include <cmath>

namespace plimsoll::postgres {
namespace {

std::string shortest(double value) {
    if (std::isnan(value)) return "NaN";
    if (std::isinf(value)) return value > 0 ? "Infinity" : "-Infinity";
    char buffer[32];
    auto [end, error] = std::to_chars(buffer, buffer + sizeof buffer, value);
    return std::string(buffer, end);
}

void append_quoted(std::string& out, std::string_view element) {
    out.push_back('"');
    for (char c : element) {
        if (c == '"' || c == '\\') out.push_back('\\');
        out.push_back(c);
    }
    out.push_back('"');
}

template <class T, class Append>
std::string array_text(const std::vector<T>& values, Append append) {
    std::string out = "{";
    for (const T& value : values) {
        if (out.size() > 1) out.push_back(',');
        append(out, value);
    }
    out.push_back('}');
    return out;
}

// The binary array header: dimensions, "has nulls", element type, then length and lower bound of
// the one dimension. An empty array has no dimension.
std::string array_header(std::size_t length, bool nulls, wire::Oid element) {
    std::string out;
    wire::append<std::int32_t>(out, length == 0 ? 0 : 1);
    wire::append<std::int32_t>(out, nulls ? 1 : 0);
    wire::append<std::int32_t>(out, static_cast<std::int32_t>(element));
    if (length != 0) {
        wire::append<std::int32_t>(out, static_cast<std::int32_t>(length));
        wire::append<std::int32_t>(out, 1);
    }
    return out;
}

}  // namespace

Param::Param(bool value) : bytes_(value ? "t" : "f") {}

Param::Param(double value) : bytes_(shortest(value)) {}

Param::Param(Bytes value) : bytes_(std::move(value.data)), type_(wire::bytea), binary_(true) {}

Param::Param(Timestamp value) : type_(wire::timestamptz), binary_(true) {
    wire::append<std::int64_t>(bytes_, (value - wire::epoch).count());
}

Param::Param(const std::vector<std::int64_t>& values)
    : bytes_(array_text(values, [](std::string& out, auto v) { out += std::to_string(v); })) {}

Param::Param(const std::vector<std::int32_t>& values)
    : bytes_(array_text(values, [](std::string& out, auto v) { out += std::to_string(v); })) {}

Param::Param(const std::vector<double>& values)
    : bytes_(array_text(values, [](std::string& out, double v) { out += shortest(v); })) {}

Param::Param(const std::vector<std::string>& values) : bytes_(array_text(values, append_quoted)) {}

Param::Param(const std::vector<std::optional<std::string>>& values)
    : bytes_(array_text(values, [](std::string& out, const std::optional<std::string>& value) {
          value ? append_quoted(out, *value) : void(out += "NULL");
      })) {}

Param::Param(const std::vector<Bytes>& values)
    : bytes_(array_header(values.size(), false, wire::bytea)),
      type_(wire::bytea_array),
      binary_(true) {
    for (const Bytes& value : values) {
        wire::append<std::int32_t>(bytes_, static_cast<std::int32_t>(value.data.size()));
        bytes_ += value.data;
    }
}

Param::Param(const std::vector<std::optional<Bytes>>& values)
    : bytes_(array_header(values.size(), true, wire::bytea)),
      type_(wire::bytea_array),
      binary_(true) {
    for (const auto& value : values) {
        wire::append<std::int32_t>(bytes_,
                                   value ? static_cast<std::int32_t>(value->data.size()) : -1);
        if (value) bytes_ += value->data;
    }
}

Param::Param(const std::vector<std::optional<Timestamp>>& values)
    : bytes_(array_header(values.size(), true, wire::timestamptz)),
      type_(wire::timestamptz_array),
      binary_(true) {
    for (const auto& value : values) {
        wire::append<std::int32_t>(bytes_, value ? 8 : -1);
        if (value) wire::append<std::int64_t>(bytes_, (*value - wire::epoch).count());
    }
}

}  // namespace plimsoll::postgres
