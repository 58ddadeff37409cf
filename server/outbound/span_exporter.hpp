#pragma once

#include "engine/base/result.hpp"
#include "server/outbound/target.hpp"

#include <memory>
#include <string>
#include <thread>

#include <boost/asio/ssl/context.hpp>

namespace plimsoll::outbound {

// Who records spans: OpenTelemetry's attributes service.name and service.instance.id.
struct SpanSource {
    std::string service;
    std::string instance;
};

// The rule that the URL of a collector breaks; empty: none.
std::string broken_collector_rule(const std::string& url);

// Sends what server/base/tracing gathers to a collector, by OTLP over HTTP as protobuf, on a thread
// of its own. While the collector does not take it, spans are kept up to tracing's limit, and then
// dropped; the log tells both once.
class SpanExporter {
  public:
    // Starts tracing; null if `url` is empty. `url`: "http://127.0.0.1:4318", to which /v1/traces
    // is added. `sampled_percent`: of requests that bring no trace. Errc::invalid_input: the URL.
    static Result<std::unique_ptr<SpanExporter>> start(const std::string& url, int sampled_percent,
                                                       SpanSource source);
    // Sends what is left, for at most two seconds.
    ~SpanExporter();
    SpanExporter(const SpanExporter&) = delete;
    SpanExporter& operator=(const SpanExporter&) = delete;

  private:
    SpanExporter(Target target, std::unique_ptr<boost::asio::ssl::context> tls, SpanSource source);
    void run(const std::stop_token& stop);
    // Errc::unavailable: try again later.
    Result<void> send(std::string_view spans) const;

    Target target_;
    std::unique_ptr<boost::asio::ssl::context> tls_;
    SpanSource source_;
    std::jthread thread_;
};

}  // namespace plimsoll::outbound
