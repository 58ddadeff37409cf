#include "server/outbound/span_exporter.hpp"

#include "server/base/log.hpp"
#include "server/base/tracing.hpp"
#include "server/outbound/caller.hpp"

#include <chrono>
#include <condition_variable>
#include <mutex>
#include <optional>
#include <utility>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ssl/context.hpp>

namespace plimsoll::outbound {
namespace {

namespace asio = boost::asio;
namespace http = boost::beast::http;

constexpr std::chrono::seconds kTime{2};  // of one request
constexpr std::chrono::seconds kPause{1};
constexpr const char* kPath = "v1/traces";

void pause(const std::stop_token& stop) {
    std::mutex mutex;
    std::unique_lock lock(mutex);
    std::condition_variable_any().wait_for(lock, stop, kPause, [] { return false; });
}

// OTLP's statuses of a collector that asks to try again.
bool asks_again(int status) {
    return status == 429 || status == 502 || status == 503 || status == 504;
}

}  // namespace

std::string broken_collector_rule(const std::string& url) {
    const bool is_url = parse_target(url).has_value() && url.find('?') == std::string::npos;
    return url.empty() || is_url ? "" : "must be http://host[:port] or https://host[:port]";
}

Result<std::unique_ptr<SpanExporter>> SpanExporter::start(const std::string& url,
                                                          int sampled_percent, SpanSource source) {
    if (url.empty()) return nullptr;
    TRY(auto target, parse_target(url));
    target.path += target.path.ends_with('/') ? kPath : std::string("/") + kPath;
    TRY(auto tls, verifying_context());
    tracing::start(sampled_percent);
    return std::unique_ptr<SpanExporter>(
        new SpanExporter(std::move(target), std::move(tls), std::move(source)));
}

SpanExporter::SpanExporter(Target target, std::unique_ptr<asio::ssl::context> tls,
                           SpanSource source)
    : target_(std::move(target)),
      tls_(std::move(tls)),
      source_(std::move(source)),
      thread_([this](const std::stop_token& stop) { run(stop); }) {}

SpanExporter::~SpanExporter() {
    thread_.request_stop();
    thread_.join();
    tracing::stop();
}

void SpanExporter::run(const std::stop_token& stop) {
    std::string refused;  // spans that the collector does not take now
    std::uint64_t dropped = 0;
    bool works = true;
    for (bool last = false; !last;) {
        last = stop.stop_requested();
        if (!works && !last) pause(stop);
        if (refused.empty()) {
            auto [spans, lost] = tracing::gather(stop);
            refused = std::move(spans);
            dropped += lost;
        }
        if (refused.empty()) continue;
        const auto sent = send(refused);
        const bool again = !sent && sent.error().code == Errc::unavailable;
        if (!sent && works)
            log::warn("traces cannot be exported",
                      {{"to", target_.origin() + target_.path}, {"reason", sent.error().message}});
        if (!again) refused.clear();
        if (sent && !works) log::info("traces are exported again", {{"to", target_.origin()}});
        works = sent.has_value();
        if (sent && dropped > 0) {
            log::warn("spans were dropped", {{"spans", std::to_string(dropped)}});
            dropped = 0;
        }
    }
}

Result<void> SpanExporter::send(std::string_view spans) const {
    const Destination destination{
        .tls = target_.tls, .host = target_.host, .port = std::to_string(target_.port)};
    const auto endpoints = resolve(destination, [](const asio::ip::address&) { return true; });
    if (!endpoints) return fail(Errc::unavailable, endpoints.error().message);
    Request request{http::verb::post, target_.path, 11};
    request.set(http::field::host, target_.authority());
    request.set(http::field::connection, "close");
    request.set(http::field::content_type, "application/x-protobuf");
    request.body() = tracing::export_request({{"service.name", source_.service},
                                              {"service.version", PLIMSOLL_VERSION},
                                              {"service.instance.id", source_.instance}},
                                             spans);
    request.prepare_payload();
    const Receiver head_only;
    std::optional<Result<int>> status;
    asio::io_context io(1);
    asio::co_spawn(io, exchange(destination, *endpoints, request, *tls_, head_only),
                   [&](const std::exception_ptr& thrown, Result<int> answer) {
                       if (!thrown) status = std::move(answer);
                   });
    io.run_for(kTime);
    if (!status) return fail(Errc::unavailable, "no response in time");
    if (!*status) return fail(Errc::unavailable, status->error().message);
    if (**status / 100 == 2) return {};
    return fail(asks_again(**status) ? Errc::unavailable : Errc::conflict,
                "HTTP " + std::to_string(**status));
}

}  // namespace plimsoll::outbound
