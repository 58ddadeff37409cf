#include "engine/models/store.hpp"
#include "engine/profiling/timing.hpp"
#include "engine/transformer/classifier.hpp"
#include "server/base/gzip.hpp"
#include "server/base/time.hpp"
#include "server/jobs/records/model_requirement.hpp"
#include "server/kinds/profile/contract/advertisement.hpp"
#include "server/kinds/profile/contract/settings.hpp"
#include "server/kinds/profile/run/figures.hpp"
#include "server/kinds/profile/run/system.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <iomanip>
#include <sstream>
#include <utility>

namespace plimsoll::jobs::profile {
namespace {

constexpr std::array kMembers = {"name",   "value",     "unit", "batch",           "median_ms",
                                 "p95_ms", "spread_ms", "runs", "fraction_of_peak"};

// Arguments that the contract accepted but that are refused here are damaged, or come from another
// version.
Result<Request> stored_request(std::string_view args) {
    auto request = parse_request(nlohmann::json::parse(args));
    if (!request) return fail(Errc::corrupt, request.error().front().message);
    return std::move(*request);
}

Json row_of(std::int64_t index, const std::string& part, const Result<PartResult>& result) {
    Json row{{"index", index}, {"part", part}};
    for (const auto* member : kMembers)
        row[member] = result && result->row.contains(member) ? result->row[member] : Json();
    row["error_code"] = result ? Json() : Json(to_string(result.error().code));
    row["error"] = result ? Json() : Json(result.error().message);
    return row;
}

Json method_json() {
    const profiling::TimingPolicy policy;
    return {{"warm_up_runs", policy.warm_up_runs},
            {"warm_up_seconds", policy.warm_up_seconds},
            {"min_runs", policy.min_runs},
            {"max_runs", policy.max_runs},
            {"min_seconds", policy.min_seconds}};
}

// The areas of a request; areas that it does not include measure nothing.
struct Areas {
    Areas(const Request& request, const RunContext& context, const Watch& watch)
        : engine(engine_area(request, context, watch)),
          sentiment(sentiment_area(request, context, watch)),
          llm(llm_area(request, llm_settings(context.settings), watch)),
          pair(pair_area(request, context, llm_settings(context.settings), watch)) {}
    // Those of a job whose task nobody could run.
    explicit Areas(const Request& request)
        : engine(no_engine_area()),
          sentiment(no_sentiment_area()),
          llm(llm_area(request, {}, {})),
          pair(no_sentiment_area()) {}

    Area& of(std::string_view part) const {
        if (part.starts_with("engine/")) return *engine;
        if (part.starts_with("pair/")) return *pair;
        return part.starts_with("llm/") ? *llm : *sentiment;
    }

    std::unique_ptr<Area> engine;
    std::unique_ptr<Area> sentiment;
    std::unique_ptr<Area> llm;
    std::unique_ptr<Area> pair;
};

Json report_of(const Request& request, const opencl::Device* device,
               const opencl::Capability* capability, const Areas& areas, Json errors) {
    Json results = Json::array();
    const auto add = [&](const Json& model) {
        if (!model.is_null()) results.push_back(model);
        return model.is_null() ? 0 : 1;
    };
    const int sentiment_models = add(areas.sentiment->report());
    const int llm_models = add(areas.llm->report());
    return {{"generated_at", to_rfc3339(SystemClock().now())},
            {"mode", request.mode},
            {"device", device_json(device, capability)},
            {"system_info", system_json(device)},
            {"limits",
             {{"max_batch", request.largest_batch},
              {"latency_ms", or_null(request.latency_ms)},
              {"memory_mb", or_null(request.memory_mb)}}},
            {"method", method_json()},
            {"engine", areas.engine->report()},
            {"results", std::move(results)},
            {"summary",
             {{"total_models_profiled", sentiment_models + llm_models},
              {"sentiment_models", sentiment_models},
              {"llm_models", llm_models}}},
            {"pair", areas.pair->report()},
            {"errors", std::move(errors)}};
}

void say_measured(const std::string& part, const Result<PartResult>& result,
                  std::chrono::duration<double> took, const RunContext& context) {
    if (!result) {
        context.say(LogLevel::warning, part + " could not be measured: " + result.error().message);
        return;
    }
    std::ostringstream text;
    text << "Measured " << part << " in " << std::fixed << std::setprecision(1) << took.count()
         << " s";
    const Json& row = result->row;
    if (row.contains("value") && row["value"].is_number() && row.contains("unit"))
        text << ": " << row["value"].get<double>() << " " << row["unit"].get<std::string>();
    if (row.contains("batch") && row["batch"].is_number())
        text << ", batch size " << row["batch"].get<std::int64_t>();
    context.say(LogLevel::info, text.str() + ".");
}

Result<TaskOutput> measure(const Request& request, std::string_view input, RunContext& context) {
    const auto parts = nlohmann::json::parse(input).get<std::vector<std::string>>();
    context.progress.set_total(std::ssize(parts));
    const Watch watch{context.stop, &context.progress};
    const Areas areas(request, context, watch);
    TaskOutput output;
    std::string rows;
    Json errors = Json::array();
    for (std::size_t i = 0; i < parts.size(); ++i) {
        const auto& part = parts[i];
        const auto slash = part.find('/');
        const auto start = std::chrono::steady_clock::now();
        const auto result = areas.of(part).measure(std::string_view(part).substr(slash + 1));
        if (!result && result.error().code == Errc::cancelled) return fail(result.error());
        ++(result ? output.items_ok : output.items_failed);
        say_measured(part, result, std::chrono::steady_clock::now() - start, context);
        const Json row = row_of(static_cast<std::int64_t>(i), part, result);
        if (!result) {
            errors.push_back({{"index", i},
                              {"part", part},
                              {"error_code", row["error_code"]},
                              {"error", row["error"]}});
        }
        rows += row.dump(-1, ' ', false, Json::error_handler_t::replace) + "\n";
        context.progress.advance(1);
    }
    output.results = gzip(rows);
    output.partial =
        report_of(request, context.device, context.capability, areas, std::move(errors))
            .dump(-1, ' ', false, Json::error_handler_t::replace);
    return output;
}

// There is one task, which made the report. None: it killed its workers.
Result<Merged> merge(const Request& request, std::span<const std::string> partials) {
    if (!partials.empty()) return Merged{partials.front(), {}};
    const Json report = report_of(request, nullptr, nullptr, Areas(request), Json::array());
    return Merged{report.dump(), {}};
}

// The models that this machine has, in the forms that the device computes; those that score no
// texts in none.
Capabilities capabilities(const KindSettings& settings, const opencl::Capability* device) {
    if (device == nullptr) return {};
    Capabilities can;
    std::vector<AdvertisedModel> models;
    for (const auto& manifest : models::Store(models_folder(settings)).list()) {
        auto& model = models.emplace_back();
        model.name = manifest.name;
        model.hash = manifest.hash;
        model.parameters = manifest.parameters;
        model.audience = manifest.audience;
        for (const auto form : {routines::Form::fp32, routines::Form::bf16, routines::Form::int8}) {
            if (manifest.labels.empty() || !transformer::can_use(*device, form)) continue;
            model.forms.emplace_back(to_string(form));
            can.names.push_back(capability_of(model.name, model.hash, model.forms.back()));
        }
    }
    if (!models.empty()) can.advertisement = advertisement_of(models);
    return can;
}

constexpr std::array kRunSettings = [] {
    std::array<KindSetting, kSettings.size() + 1> all{};
    std::ranges::copy(kSettings, all.begin());
    all.back() = kModelsFolder;
    return all;
}();

}  // namespace

constinit extern const Run kRun{.name = kName,
                                .version = kVersion,
                                .parse = typed<stored_request>,
                                .run = typed<measure>,
                                .merge = typed<merge>,
                                .settings = kRunSettings,
                                .capabilities = capabilities};

}  // namespace plimsoll::jobs::profile
