#include "server/base/tracing.hpp"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <random>
#include <utility>

namespace plimsoll::tracing {
namespace {

constexpr std::size_t kMaxBytes = std::size_t{4} << 20;  // of spans that wait
constexpr std::size_t kMuch = kMaxBytes / 16;
constexpr std::chrono::seconds kPause{1};
constexpr std::size_t kCarried = 32;

struct Buffer {
    std::mutex mutex;
    std::condition_variable_any filled;
    Gathered gathered;
};

Buffer& buffer() {
    static Buffer only;
    return only;
}

std::atomic<bool> on{false};
std::atomic<int> percent{100};

std::uint64_t random_number() {
    thread_local std::mt19937_64 random{std::random_device{}()};
    std::uint64_t number = 0;
    while (number == 0) number = random();
    return number;
}

// --- text ---

constexpr std::size_t kLength = 55;  // 2 + 1 + 32 + 1 + 16 + 1 + 2: version, trace, parent, flags

// nullopt unless all of it is lower-case hexadecimal digits, at most 16.
std::optional<std::uint64_t> parse_hex(std::string_view digits) {
    std::uint64_t number = 0;
    for (const char c : digits) {
        const bool decimal = c >= '0' && c <= '9';
        if (!decimal && !(c >= 'a' && c <= 'f')) return std::nullopt;
        number = number << 4 | static_cast<std::uint64_t>(decimal ? c - '0' : c - 'a' + 10);
    }
    return number;
}

void append_big_endian(std::string& bytes, std::uint64_t number) {
    for (int shift = 56; shift >= 0; shift -= 8)
        bytes += static_cast<char>(number >> static_cast<unsigned>(shift));
}

std::uint64_t read_big_endian(std::string_view bytes) {
    std::uint64_t number = 0;
    for (const char byte : bytes.substr(0, 8))
        number = number << 8 | static_cast<std::uint8_t>(byte);
    return number;
}

// --- protobuf: the few field types that OTLP uses ---

enum Wire : unsigned { kVarint = 0, kFixed64 = 1, kBytes = 2 };

void put_varint(std::string& to, std::uint64_t number) {
    for (; number >= 0x80; number >>= 7) to += static_cast<char>(number | 0x80);
    to += static_cast<char>(number);
}

std::size_t varint_size(std::uint64_t number) {
    std::size_t size = 1;
    for (; number >= 0x80; number >>= 7) ++size;
    return size;
}

// Numbers of fields are below 16.
void put_tag(std::string& to, unsigned field, Wire wire) {
    to += static_cast<char>(field << 3 | wire);
}

void put_bytes_head(std::string& to, unsigned field, std::size_t size) {
    put_tag(to, field, kBytes);
    put_varint(to, size);
}

void put_bytes(std::string& to, unsigned field, std::string_view bytes) {
    put_bytes_head(to, field, bytes.size());
    to += bytes;
}

void put_time(std::string& to, unsigned field, Timestamp time) {
    put_tag(to, field, kFixed64);
    const auto count = std::max<std::int64_t>(0, time.time_since_epoch().count());
    auto nanoseconds = static_cast<std::uint64_t>(count) * 1000;
    for (int i = 0; i < 8; ++i, nanoseconds >>= 8) to += static_cast<char>(nanoseconds);
}

std::size_t field_size(std::size_t bytes) { return 1 + varint_size(bytes) + bytes; }

// KeyValue{key = 1, value = 2: AnyValue{string_value = 1, int_value = 3}}.
void put_attribute(std::string& to, unsigned field, const Attribute& attribute) {
    const auto* text = std::get_if<std::string_view>(&attribute.value);
    if (text != nullptr && text->empty()) return;
    const auto number =
        text != nullptr ? 0 : static_cast<std::uint64_t>(std::get<std::int64_t>(attribute.value));
    const auto value = text != nullptr ? field_size(text->size()) : 1 + varint_size(number);
    put_bytes_head(to, field, field_size(attribute.key.size()) + field_size(value));
    put_bytes(to, 1, attribute.key);
    put_bytes_head(to, 2, value);
    if (text != nullptr) {
        put_bytes(to, 1, *text);
    } else {
        put_tag(to, 3, kVarint);
        put_varint(to, number);
    }
}

}  // namespace

std::string trace_id(const Context& context) {
    constexpr std::string_view kDigits = "0123456789abcdef";
    std::string text;
    for (const auto half : context.trace)
        for (int shift = 60; shift >= 0; shift -= 4)
            text += kDigits[half >> static_cast<unsigned>(shift) & 15];
    return text;
}

std::optional<Traceparent> parse_traceparent(std::string_view field) {
    if (field.size() < kLength || field[2] != '-' || field[35] != '-' || field[52] != '-')
        return std::nullopt;
    const auto version = parse_hex(field.substr(0, 2));
    const auto high = parse_hex(field.substr(3, 16));
    const auto low = parse_hex(field.substr(19, 16));
    const auto span = parse_hex(field.substr(36, 16));
    const auto flags = parse_hex(field.substr(53, 2));
    if (!version || !high || !low || !span || !flags) return std::nullopt;
    const bool ends = field.size() == kLength || (*version > 0 && field[kLength] == '-');
    const Traceparent parsed{{{*high, *low}, *span}, (*flags & 1) != 0};
    if (!ends || *version == 0xff || !parsed.context || *span == 0) return std::nullopt;
    return parsed;
}

Span enter(std::string_view traceparent) {
    if (!is_on()) return {};
    const auto sent = parse_traceparent(traceparent);
    const int sampled = percent.load(std::memory_order_relaxed);
    const bool recorded =
        sent ? sent->sampled
             : sampled == 100 || random_number() % 100 < static_cast<std::uint64_t>(sampled);
    if (!recorded) return {};
    return below(sent ? sent->context : Context{{random_number(), random_number()}},
                 SystemClock().now());
}

Span below(const Context& above, Timestamp began) {
    if (!above) return {};
    return {{above.trace, random_number()}, above.span, began};
}

// Span{trace_id = 1, span_id = 2, parent_span_id = 4, name = 5, kind = 6, start = 7, end = 8,
// attributes = 9, status = 15: Status{message = 2, code = 3}}.
void record(const Span& span, const End& end, std::initializer_list<Attribute> attributes) {
    if (!span.context || !is_on()) return;
    thread_local std::string bytes;
    bytes.clear();
    put_bytes_head(bytes, 1, 16);
    for (const auto half : span.context.trace) append_big_endian(bytes, half);
    put_bytes_head(bytes, 2, 8);
    append_big_endian(bytes, span.context.span);
    if (span.parent != 0) {
        put_bytes_head(bytes, 4, 8);
        append_big_endian(bytes, span.parent);
    }
    put_bytes(bytes, 5, end.name);
    put_tag(bytes, 6, kVarint);
    put_varint(bytes, static_cast<std::uint64_t>(end.kind));
    put_time(bytes, 7, span.began);
    put_time(bytes, 8, std::max(span.began, end.at));
    for (const auto& attribute : attributes) put_attribute(bytes, 9, attribute);
    if (!end.error.empty()) {
        constexpr std::uint64_t kError = 2;
        put_bytes_head(bytes, 15, field_size(end.error.size()) + 2);
        put_bytes(bytes, 2, end.error);
        put_tag(bytes, 3, kVarint);
        put_varint(bytes, kError);
    }
    auto& kept = buffer();
    const std::lock_guard lock(kept.mutex);
    auto& spans = kept.gathered.spans;
    if (spans.size() + bytes.size() > kMaxBytes) {
        ++kept.gathered.dropped;
        return;
    }
    const bool was_much = spans.size() >= kMuch;
    put_bytes(spans, 2, bytes);
    if (!was_much && spans.size() >= kMuch) kept.filled.notify_one();
}

std::string pack(const Carried& carried) {
    std::string bytes;
    if (!carried.context) return bytes;
    bytes.reserve(kCarried);
    for (const auto half : carried.context.trace) append_big_endian(bytes, half);
    append_big_endian(bytes, carried.context.span);
    append_big_endian(bytes, static_cast<std::uint64_t>(carried.ready.time_since_epoch().count()));
    return bytes;
}

Carried unpack(std::string_view bytes) {
    if (bytes.size() != kCarried) return {};
    const auto part = [&](std::size_t i) { return read_big_endian(bytes.substr(8 * i)); };
    return {{{part(0), part(1)}, part(2)},
            Timestamp(std::chrono::microseconds(static_cast<std::int64_t>(part(3))))};
}

bool is_on() { return on.load(std::memory_order_relaxed); }

void start(int sampled_percent) {
    percent = sampled_percent;
    on = true;
}

void stop() { on = false; }

Gathered gather(const std::stop_token& stop) {
    auto& kept = buffer();
    std::unique_lock lock(kept.mutex);
    kept.filled.wait_for(lock, stop, kPause, [&] { return kept.gathered.spans.size() >= kMuch; });
    return std::exchange(kept.gathered, {});
}

// ExportTraceServiceRequest{resource_spans = 1: ResourceSpans{resource = 1: Resource{attributes =
// 1}, scope_spans = 2: ScopeSpans{scope = 1: InstrumentationScope{name = 1}, spans = 2}}}.
std::string export_request(std::initializer_list<Attribute> resource, std::string_view spans) {
    std::string described;
    for (const auto& attribute : resource) put_attribute(described, 1, attribute);
    std::string scope;
    put_bytes(scope, 1, "plimsoll");
    const auto of_scope = field_size(scope.size()) + spans.size();
    std::string request;
    request.reserve(spans.size() + described.size() + 64);
    put_bytes_head(request, 1, field_size(described.size()) + field_size(of_scope));
    put_bytes(request, 1, described);
    put_bytes_head(request, 2, of_scope);
    put_bytes(request, 1, scope);
    request += spans;
    return request;
}

}  // namespace plimsoll::tracing
