#include "server/kinds/training_config/contract/measurement.hpp"

#include "engine/base/json.hpp"
#include "engine/training/gpus/catalogue.hpp"
#include "server/kinds/training_config/contract/options.hpp"
#include "server/kinds/training_config/contract/words.hpp"

namespace plimsoll::jobs::training_config {

namespace tr = ::plimsoll::training;

namespace {

// The run that was measured, as a request for its prediction: that batch on that card.
json measured_args(const json& measured) {
    json args = measured.at("args");
    for (const auto* member :
         {"gpus", "custom_gpus", "correction", "stages", "cluster", "observed", "probe"})
        args.erase(member);
    const std::int64_t batch = measured.at("batch");
    args["training"]["batch"] = batch;
    args["target_effective_batch"] = batch * measured.value("accumulation", std::int64_t{1});
    args["what_ifs"] = false;
    return args;
}

}  // namespace

std::string comparison_key_of(const Request& request) {
    const auto& t = request.report.settings;
    return std::string(family_name(request.report.shape)) + " " +
           std::string(text_of(kPrecisions, t.precision)) +
           (t.checkpointing ? " checkpointing" : "") + (t.lora.rank > 0 ? " lora" : "") +
           (t.cards > 1 ? " sharded" : "");
}

tl::expected<json, FieldErrors> measurement_of(const json& measured) {
    const json args = measured_args(measured);
    auto request = parse_request(args);
    if (!request) {
        for (auto& error : request.error()) error.pointer = "/args" + error.pointer;
        return tl::unexpected(std::move(request.error()));
    }
    const json& gpu = measured.at("gpu");
    request->report.gpus = {tr::profile_for({gpu.at("name"), gpu.at("total_bytes")})};
    request->report.curves = false;
    const auto report = tr::make_report(request->report);
    if (!report) {
        return tl::unexpected(FieldErrors{
            {"/args" + pointer_of(report.error().where), "invalid", report.error().message}});
    }
    const auto& card = report->gpus.front();
    const auto predicted = card.at_batch.peak_reserved;
    const std::int64_t taken = measured.at("measured").at("peak_reserved_bytes");
    json data = measured;
    data.erase("args");
    data.erase("job_id");
    data["accumulation"] = measured.value("accumulation", 1);
    data["samples"] = measured.value("samples", json::array());
    data["gpu"]["id"] = request->report.gpus.front().id;
    data["model"] = request->report.shape.name;
    data["comparison_key"] = comparison_key_of(*request);
    data["predicted"] = {{"peak_reserved_bytes", predicted},
                         {"peak_allocated_bytes", card.at_batch.peak_allocated},
                         {"context_bytes", card.gpu.total_bytes() - card.gpu.usable_bytes()},
                         {"step_seconds", card.throughput.step_seconds},
                         {"max_batch", card.limits.max_batch}};
    data["ratio"] = static_cast<double>(taken) / static_cast<double>(predicted);
    return data;
}

json measurement_json(const TeamRecord& record) {
    json out = json::parse(record.data);
    out["id"] = public_id(kMeasurementPrefix, std::stoll(record.id));
    out["job_id"] = record.job ? json(to_public(*record.job)) : json(nullptr);
    out["created_at"] = to_rfc3339(record.created_at);
    return out;
}

}  // namespace plimsoll::jobs::training_config
