#include "server/jobs/training_config/command/recommended.hpp"

#include <algorithm>

#include <nlohmann/json.hpp>

namespace plimsoll::jobs::training_config {

using nlohmann::json;

namespace {

const json* named(const json& list, const char* pointer, const std::string& name) {
    const auto found = std::ranges::find_if(list, [&](const json& one) {
        return name.empty() || one.at(json::json_pointer(pointer)) == name;
    });
    return found == list.end() ? nullptr : &*found;
}

}  // namespace

Result<Recommended> recommended_by(const json& report, const std::string& gpu,
                                   const std::string& stage) {
    const bool is_report = report.contains("summary") || report.contains("gpus");
    try {
        const json& summary = report.contains("summary") ? report.at("summary") : report;
        const json* card = named(summary.at("gpus"), "/gpu/id", gpu);
        if (card == nullptr) return fail(Errc::not_found, "The report has no GPU " + gpu + ".");
        const json* part = card;
        if (!stage.empty()) {
            part = named(card->at("stages"), "/name", stage);
            if (part == nullptr) {
                return fail(Errc::not_found, "The report has no stage \"" + stage + "\".");
            }
        }
        if (part->at("accumulation").is_null()) {
            return fail(Errc::invalid_input,
                        "According to the report, the run does not fit: nothing to apply.");
        }
        const json& training = summary.at("training");
        Recommended r;
        r.batch = part->at("batch");
        r.accumulation = part->at("accumulation").at("nearest").at("steps");
        if (const json& shard = card->at("shard"); !shard.is_null()) {
            r.cards = shard.at("cards");
            r.sharding = shard.at("sharding");
            r.offload = shard.at("offload");
        }
        r.precision = card->at("precision");
        r.optimizer = training.at("optimizer");
        r.fused = training.at("optimizer_kernel") == "fused";
        r.checkpointing = training.at("checkpointing");
        r.clip = training.at("clip");
        r.attention = training.at("attention");
        r.sequence = training.at("sequence_length");
        r.lora_rank = training.at("lora_rank");
        training.at("lora_targets").get_to(r.lora_targets);
        r.quantization = training.at("quantization");
        r.dora = training.at("lora_dora");
        r.packed = training.at("packed");
        r.fused_loss = training.at("fused_loss");
        r.largest = part->at("max_batch");
        r.trainable = card->at("trainable_parameters");
        if (const json& rate = card->at("learning_rate").at("recommended"); !rate.is_null())
            r.rate = rate.get<double>();
        r.warmup_steps = card->at("learning_rate").at("warmup_steps");
        r.workers = card->at("loader").at("workers");
        if (!stage.empty()) {
            r.sequence = part->at("sequence_length");
            r.positives = part->at("positives").get<std::int64_t>();
            r.negatives = part->at("negatives").get<std::int64_t>();
        }
        return r;
    } catch (const json::exception&) {
        if (is_report)
            return fail(Errc::invalid_input,
                        "The report lacks settings that this version of Plimsoll applies: create "
                        "it again.");
        return fail(Errc::invalid_input, "The file is not a report of a training-config job.");
    }
}

}  // namespace plimsoll::jobs::training_config
