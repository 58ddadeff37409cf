#include "engine/base/json.hpp"
#include "server/jobs/kind.hpp"
#include "server/jobs/records/model_requirement.hpp"
#include "server/jobs/records/results_converter.hpp"
#include "server/kinds/profile/contract/advertisement.hpp"
#include "server/kinds/profile/contract/request.hpp"
#include "server/kinds/profile/contract/settings.hpp"

#include <algorithm>
#include <array>
#include <string>
#include <vector>

namespace plimsoll::jobs::profile {
namespace {

constexpr std::array kColumns = {
    Column{"index"},
    Column{"part"},
    Column{"name"},
    Column{"value"},
    Column{"unit"},
    Column{"batch"},
    Column{"median_ms"},
    Column{"p95_ms"},
    Column{"spread_ms"},
    Column{"runs"},
    Column{"fraction_of_peak"},
    Column{"error_code"},
    Column{"error"},
};

// The approximate time of a part: a knee search times about ten batch sizes.
constexpr double kSecondsPerPart = 1.5;
// Of a part that asks a language model up to four times, in multiples of the longest time of a
// response: workers end tasks that take ten times as long as estimated, and every response may take
// that long.
constexpr double kTimeoutsPerLlmPart = 0.4;
// Of eight responses, and scoring for as long as seven of them.
constexpr double kTimeoutsOfAPair = 1.5;
// Of a part that measures a published model: batches of this many tokens, on a processor of two
// cores.
constexpr double kTokensPerModelPart = 40'000;
constexpr double kOperationsPerSecond = 2e11;

double seconds_of(const std::string& part, const Request& request, int llm_timeout) {
    if (part.starts_with("llm/")) return kTimeoutsPerLlmPart * llm_timeout;
    if (part.starts_with("pair/")) return kTimeoutsOfAPair * llm_timeout;
    if (!part.starts_with("sentiment/")) return 0;
    const auto parameters = static_cast<double>(request.model_parameters);
    return 2 * parameters * kTokensPerModelPart / kOperationsPerSecond;
}

double seconds_of(const std::vector<std::string>& parts, const Request& request, int llm_timeout) {
    double seconds = 0;
    for (const auto& part : parts)
        seconds += std::max(kSecondsPerPart, seconds_of(part, request, llm_timeout));
    return seconds;
}

std::string class_of(const Request& request) {
    if (!request.device_class.empty()) return request.device_class;
    if (!request.model_hash.empty()) return "gpu,cpu";
    if (!request.engine) return "host";
    return request.sentiment ? "gpu,cpu,host" : "gpu,cpu";
}

Needs needs(const json& args) { return {.pool = needs_model(args)}; }

// All parts are one task, so that the numbers of a report come from one device, and nothing else of
// the job runs during a timing.
tl::expected<Plan, FieldErrors> plan(const json& asked, const PlanningContext& planning_context) {
    tl::expected<json, FieldErrors> named = asked;
    if (needs_model(asked)) named = with_model(asked, planning_context);
    if (!named) return tl::unexpected(named.error());
    const auto llm = llm_settings(*planning_context.settings);
    TRY(const auto with_endpoint, with_llm(*named, llm));
    const json& args = with_endpoint;
    TRY(const auto request, parse_request(args));
    const auto parts = parts_of(request);
    Plan plan;
    plan.args = args.dump();
    plan.requirement.device_class = class_of(request);
    auto& capability = plan.requirement.capability;
    if (!request.device.empty()) capability = "device=" + request.device;
    if (!request.model_hash.empty()) {
        capability += (capability.empty() ? "" : ",") +
                      capability_of(request.sentiment_model, request.model_hash, request.form);
    }
    plan.tasks.push_back({.input = json(parts).dump(),
                          .items = std::ssize(parts),
                          .estimated_seconds = seconds_of(parts, request, llm.timeout_seconds)});
    return plan;
}

Result<std::string> failed_rows(std::string_view /*args*/, std::string_view input,
                                std::string_view reason) {
    std::string rows;
    std::int64_t index = 0;
    for (const auto& part : json::parse(input)) {
        auto row = failed_row(kColumns, reason);
        row["index"] = index++;
        row["part"] = part;
        rows += row.dump() + "\n";
    }
    return rows;
}

}  // namespace

constinit extern const Contract kContract{.name = kName,
                                          .version = kVersion,
                                          .columns = kColumns,
                                          .settings = kSettings,
                                          .needs = needs,
                                          .plan = plan,
                                          .failed_rows = failed_rows,
                                          .explain_missing = explain_missing_models,
                                          .extras = &kExtras};

}  // namespace plimsoll::jobs::profile
