// The usage of the models that policies chose over the last N hours, compared with one fixed model.
#include "server/kinds/sentiment/contract/policy_report.hpp"

#include "server/kinds/sentiment/contract/settings.hpp"
#include "server/kinds/sentiment/contract/texts.hpp"
#include "server/kinds/sentiment/rest/rest.hpp"
#include "server/queue/share_store.hpp"

#include <memory>

namespace plimsoll::jobs::sentiment {

using boost::asio::awaitable;
using http::Call;
using http::need;
using http::Response;

namespace {

constexpr int kUsualHours = 24;
constexpr int kMostModels = 100;  // in an hour

awaitable<Response> report(const Call& call, const Services& services) {
    PolicyReportQuestion question;
    question.hours = static_cast<int>(call.parameters.integer("hours").value_or(kUsualHours));
    question.against =
        call.parameters.text("against").value_or(std::string(services.settings.text(kModelName)));
    // The current hour is one of them.
    const auto now = std::chrono::floor<std::chrono::hours>(services.clock.now());
    question.from = now - std::chrono::hours(question.hours - 1);
    const auto rows = need(co_await services.stores.shares.usage(
        {.team = call.principal.team.id,
         .from = question.from,
         .to = question.from + std::chrono::hours(question.hours),
         .by = {"hour", "kind", "model"},
         .limit = question.hours * kMostModels}));
    const auto devices = need(co_await services.stores.jobs.devices());
    std::vector<UseOfHour> use;
    for (const auto& row : rows) {
        if (row.kind != kName || !row.start) continue;
        use.push_back({*row.start, row.model, row.device_seconds, row.items});
    }
    co_return http::json_response(
        200, policy_report(use, models_of(devices, call.principal.team.id), question));
}

}  // namespace

void add_policy_report(http::Handlers& handlers, const Services& services) {
    const auto kept = std::make_shared<const Services>(services);
    handlers["getPolicyReport"] = [kept](const Call& call) { return report(call, *kept); };
}

}  // namespace plimsoll::jobs::sentiment
