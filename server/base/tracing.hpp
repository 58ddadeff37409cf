#pragma once

#include "server/base/time.hpp"

#include <array>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <variant>

// Spans of traces (W3C Trace Context, OpenTelemetry), gathered for an exporter in a buffer of
// limited size: recording one never waits and never fails. Nothing is gathered, and nothing costs
// anything, before start(). Never pass texts, tokens or passwords.

namespace plimsoll::tracing {

// A place in a trace. `trace` is zero: nothing there is traced.
struct Context {
    std::array<std::uint64_t, 2> trace{};
    std::uint64_t span = 0;  // zero: the spans below have no parent

    explicit operator bool() const { return (trace[0] | trace[1]) != 0; }
    bool operator==(const Context&) const = default;
};

// 32 hexadecimal digits.
std::string trace_id(const Context& context);

struct Traceparent {
    Context context;
    bool sampled = false;  // the sender records its part
};

// Of the field `traceparent`, level 1; nullopt if it is invalid. Later versions may append fields
// after the flags.
std::optional<Traceparent> parse_traceparent(std::string_view field);

// A span from its begin on.
struct Span {
    Context context;  // of what is below it; false: it is not recorded
    std::uint64_t parent = 0;
    Timestamp began{};
};

// Of a request with this field `traceparent`: of its trace, if the sender records that. Without a
// valid one it begins a trace, with the chance given to start().
Span enter(std::string_view traceparent);

// A span below `above`, which began at `began`.
Span below(const Context& above, Timestamp began);

enum class Kind { internal = 1, server = 2, consumer = 5 };  // numbers of OTLP

struct Attribute {
    std::string_view key;
    std::variant<std::string_view, std::int64_t> value;  // an empty text is left out
};

struct End {
    std::string_view name;  // one of few
    Kind kind = Kind::internal;
    Timestamp at;
    std::string_view error = {};  // empty: it succeeded
};

// Keeps the span for the exporter; beyond the limit it is counted and dropped.
void record(const Span& span, const End& end, std::initializer_list<Attribute> attributes);

// A context and a time on the way through the queue, 32 bytes; empty: nothing is traced.
struct Carried {
    Context context;
    Timestamp ready{};  // when the work could begin
};
std::string pack(const Carried& carried);
Carried unpack(std::string_view bytes);

bool is_on();
void start(int sampled_percent);
void stop();

struct Gathered {
    std::string spans;  // fields `spans` of OTLP's ScopeSpans
    std::uint64_t dropped = 0;
};
// What was recorded since the last call. Waits for a second, until much is there, or for `stop`.
Gathered gather(const std::stop_token& stop);

// An ExportTraceServiceRequest of OTLP: of the spans, by the process that the attributes describe.
std::string export_request(std::initializer_list<Attribute> resource, std::string_view spans);

}  // namespace plimsoll::tracing
