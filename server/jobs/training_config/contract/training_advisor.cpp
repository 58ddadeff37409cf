#include "server/jobs/training_config/contract/training_advisor.hpp"

#include "engine/training/gpus/catalogue.hpp"
#include "server/advice/correction.hpp"
#include "server/jobs/training_config/contract/advice.hpp"
#include "server/jobs/training_config/contract/gpu_profiles.hpp"
#include "server/jobs/training_config/contract/limits.hpp"

#include <algorithm>

namespace plimsoll::app {
namespace {

using nlohmann::json;
namespace kind = jobs::training_config;
namespace tr = ::plimsoll::training;

constexpr double kGiB = 1024.0 * 1024 * 1024;

json custom_json(const tr::GpuProfile& p) {
    const auto tera = [](const tr::Figure& figure) { return figure.value / 1e12; };
    return {{"id", p.id},
            {"name", p.name},
            {"memory_gib", p.memory_bytes.value / kGiB},
            {"context_gib", p.context_bytes.value / kGiB},
            {"bandwidth_gb_s", p.bandwidth.value / 1e9},
            {"fp32_tflops", tera(p.fp32_flops)},
            {"fp16_tflops", tera(p.fp16_flops)},
            {"bf16_tflops", tera(p.bf16_flops)},
            {"compute_capability", p.compute_capability},
            {"multiprocessors", static_cast<int>(p.multiprocessors.value)}};
}

bool has(const json& list, const std::string& id) {
    return std::ranges::any_of(list, [&](const json& one) { return one.at("id") == id; });
}

// The roomiest GPU of the pool, described by the profile that fits it and by its own memory.
const advice::PoolDevice* roomiest(const std::vector<advice::PoolDevice>& devices) {
    const auto found = std::ranges::max_element(devices, {}, &advice::PoolDevice::memory_bytes);
    return found == devices.end() || found->memory_bytes == 0 ? nullptr : &*found;
}

// Replaces "auto", and describes the team's own cards where they are named.
jobs::FieldErrors complete_gpus(json& args, const advice::Knowledge& knowledge) {
    if (!args.contains("gpus")) return {};
    json described = args.value("custom_gpus", json::array());
    for (std::size_t i = 0; i < args["gpus"].size(); ++i) {
        json& id = args["gpus"][i];
        if (id == "auto") {
            const auto* device = roomiest(knowledge.devices);
            if (device == nullptr) {
                return {{"/gpus/" + std::to_string(i), "no_device",
                         "The pool has no GPU that \"auto\" could take: name a card."}};
            }
            auto profile = tr::profile_for({device->name, device->memory_bytes});
            profile.name = device->name + " (" + device->node + ")";
            id = profile.id;
            if (!has(described, profile.id)) described.push_back(custom_json(profile));
            continue;
        }
        for (const auto& card : knowledge.cards) {
            const bool meant = id == card.id || id == "all";
            if (meant && !has(described, card.id))
                described.push_back(json::parse(card.definition));
        }
    }
    if (!described.empty()) args["custom_gpus"] = std::move(described);
    return {};
}

// Runs of one family, precision and way of training err alike.
std::string comparison_key_of(const json& args, const kind::Request& request) {
    const auto& t = request.report.settings;
    const auto training = args.value("training", json::object());
    return std::string(kind::family_name(request.report.shape)) + " " +
           training.value("precision", "bf16_autocast") +
           (t.checkpointing ? " checkpointing" : "") + (t.lora.rank > 0 ? " lora" : "");
}

json evidence_json(const advice::Measurement& m) {
    const json data = json::parse(m.data);
    return {{"id", to_public(m.id)},
            {"gpu", data.at("gpu").at("name")},
            {"model", data.at("model")},
            {"batch", data.at("batch")},
            {"predicted_bytes", m.predicted_bytes},
            {"measured_bytes", m.measured_bytes},
            {"created_at", to_rfc3339(m.created_at)}};
}

void complete_correction(json& args, const advice::Knowledge& knowledge) {
    if (args.contains("correction") || knowledge.measurements.empty()) return;
    const auto request = kind::parse_request(args);
    if (!request) return;  // the kind says what is wrong
    const auto correction = advice::correct(knowledge.measurements, comparison_key_of(args, *request));
    if (correction.evidence.empty()) return;
    json evidence = json::array();
    for (const auto& m : correction.evidence) evidence.push_back(evidence_json(m));
    args["correction"] = {{"factor", correction.factor}, {"measurements", std::move(evidence)}};
}

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

bool TrainingAdvisor::knows(std::string_view kind) const {
    return kind == kind::kName;
}

tl::expected<json, jobs::FieldErrors> TrainingAdvisor::complete(
    json args, const advice::Knowledge& knowledge) const {
    if (auto errors = complete_gpus(args, knowledge); !errors.empty()) {
        return tl::unexpected(std::move(errors));
    }
    complete_correction(args, knowledge);
    return args;
}

json TrainingAdvisor::profiles(const std::vector<advice::Card>& cards) const {
    std::vector<tr::GpuProfile> custom;
    for (const auto& card : cards) {
        if (auto gpu = kind::parse_custom_gpu(json::parse(card.definition))) {
            custom.push_back(std::move(*gpu));
        }
    }
    return gpu_profiles_json(custom);
}

tl::expected<json, jobs::FieldErrors> TrainingAdvisor::profile(const json& card) const {
    const auto gpu = kind::parse_custom_gpu(card);
    if (!gpu) {
        return tl::unexpected(
            jobs::FieldErrors{{gpu.error().where, "invalid", gpu.error().message}});
    }
    return gpu_profile_json(*gpu);
}

tl::expected<advice::Measurement, jobs::FieldErrors> TrainingAdvisor::compare(
    const json& measured) const {
    const json args = measured_args(measured);
    auto request = kind::parse_request(args);
    if (!request) {
        for (auto& error : request.error()) error.pointer = "/args" + error.pointer;
        return tl::unexpected(std::move(request.error()));
    }
    const json& gpu = measured.at("gpu");
    request->report.gpus = {tr::profile_for({gpu.at("name"), gpu.at("total_bytes")})};
    request->report.curves = false;
    const auto report = tr::make_report(request->report);
    if (!report) {
        return tl::unexpected(
            jobs::FieldErrors{{"/args" + report.error().where, "invalid", report.error().message}});
    }
    const auto& card = report->gpus.front();
    advice::Measurement out;
    out.comparison_key = comparison_key_of(args, *request);
    out.predicted_bytes = card.at_batch.peak_reserved;
    out.measured_bytes = measured.at("measured").at("peak_reserved_bytes");
    json data = measured;
    data.erase("args");
    data.erase("job_id");
    data["accumulation"] = measured.value("accumulation", 1);
    data["samples"] = measured.value("samples", json::array());
    data["gpu"]["id"] = request->report.gpus.front().id;
    data["model"] = request->report.shape.name;
    data["comparison_key"] = out.comparison_key;
    data["predicted"] = {{"peak_reserved_bytes", card.at_batch.peak_reserved},
                         {"peak_allocated_bytes", card.at_batch.peak_allocated},
                         {"context_bytes", card.gpu.total_bytes() - card.gpu.usable_bytes()},
                         {"step_seconds", card.throughput.step_seconds},
                         {"largest_batch", card.limits.max_batch}};
    data["ratio"] =
        static_cast<double>(out.measured_bytes) / static_cast<double>(out.predicted_bytes);
    out.data = data.dump();
    return out;
}

}  // namespace plimsoll::app
