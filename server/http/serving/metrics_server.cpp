#include "server/http/serving/metrics_server.hpp"

#include "server/http/contract/router.hpp"
#include "server/http/messages/problem.hpp"

namespace plimsoll::http {

namespace {

constexpr const char* kTextFormat = "text/plain; version=0.0.4; charset=utf-8";

class MetricsExchange final : public Exchange {
  public:
    explicit MetricsExchange(const MetricsServer::Collect& collect) : collect_(collect) {}

    awaitable<std::optional<Response>> admit(const Request& head) override {
        if (auto problem = refusal(head)) co_return to_response(*problem, head.id);
        co_return text_response(kTextFormat, co_await collect_());
    }
    std::size_t body_limit() const override { return 0; }
    awaitable<Response> answer(const Request& request, BodySource*) override {
        co_return to_response(Problem(400, "This request must not have a body."), request.id);
    }
    Subject subject() const override { return {.operation = "metrics"}; }
    FairBudget::Holder holder(const Request&) const override { return {}; }

  private:
    static std::optional<Problem> refusal(const Request& head) {
        const auto target = parse_target(head.target);
        if (!target) return target.error();
        if (target->segments != std::vector<std::string>{"metrics"})
            return Problem(404, "Only /metrics is served at this address.");
        if (head.method == "GET" || head.method == "HEAD") return std::nullopt;
        Problem problem(405, "This path does not support the method.");
        problem.headers.push_back({"Allow", "GET, HEAD"});
        return problem;
    }

    const MetricsServer::Collect& collect_;
};

class MetricsPage final : public Application {
  public:
    explicit MetricsPage(MetricsServer::Collect collect) : collect_(std::move(collect)) {}
    std::unique_ptr<Exchange> exchange() override {
        return std::make_unique<MetricsExchange>(collect_);
    }

  private:
    MetricsServer::Collect collect_;
};

}  // namespace

struct MetricsServer::Parts {
    Parts(boost::asio::io_context& io, Traffic& traffic, Collect collect)
        : page(std::move(collect)), listener(io, page, traffic) {}

    MetricsPage page;
    Listener listener;
};

MetricsServer::MetricsServer(boost::asio::io_context& io, Traffic& traffic, Collect collect)
    : parts_(std::make_unique<Parts>(io, traffic, std::move(collect))) {}

MetricsServer::~MetricsServer() = default;

Result<unsigned short> MetricsServer::start(const ListenOptions& options) {
    return parts_->listener.start(options);
}

Result<void> MetricsServer::reload(const ListenOptions& options) {
    return parts_->listener.reload(options);
}

void MetricsServer::close() { parts_->listener.close(); }

}  // namespace plimsoll::http
