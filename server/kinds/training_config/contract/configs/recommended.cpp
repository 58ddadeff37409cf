#include "server/kinds/training_config/contract/configs/recommended.hpp"

#include "engine/base/json.hpp"

#include <algorithm>
#include <charconv>
#include <filesystem>

#include <fmt/format.h>

namespace plimsoll::jobs::training_config {

namespace {

const json* named(const json& list, const char* pointer, const std::string& name) {
    const auto found = std::ranges::find_if(list, [&](const json& one) {
        return name.empty() || one.at(json::json_pointer(pointer)) == name;
    });
    return found == list.end() ? nullptr : &*found;
}

// "02-05_stage (later)" is for the files 02… to 05…, "01_stage (early)" for 01…; another name for
// the file of that name. Returns whether a file belongs to the stage.
bool is_for(const std::string& stage, const std::string& stem) {
    const auto number = [](const char* begin, const char* end, int& value) {
        return std::from_chars(begin, end, value);
    };
    int first = 0, last = 0, file = 0;
    const char* end = stage.data() + stage.size();
    const auto from = number(stage.data(), end, first);
    const auto of_file = number(stem.data(), stem.data() + stem.size(), file);
    if (from.ec != std::errc() || of_file.ec != std::errc()) return stage == stem;
    last = first;
    if (from.ptr != end && *from.ptr == '-') number(from.ptr + 1, end, last);
    return first <= file && file <= last;
}

// What `read` finds for a card of the report: read(summary, card).
template <typename Read>
auto read_card(const json& report, const std::string& gpu, Read read)
    -> decltype(read(report, report)) {
    const bool is_report = report.contains("summary") || report.contains("gpus");
    try {
        const json& summary = report.contains("summary") ? report.at("summary") : report;
        const json* card = named(summary.at("gpus"), "/gpu/id", gpu);
        if (card == nullptr) return fail(Errc::not_found, "The report has no GPU " + gpu + ".");
        return read(summary, *card);
    } catch (const json::exception&) {
        if (is_report)
            return fail(Errc::invalid_input,
                        "The report lacks settings that this version of Plimsoll applies: create "
                        "it again.");
        return fail(Errc::invalid_input, "The file is not a report of a training-config job.");
    }
}

}  // namespace

Result<std::string> stage_for(const json& report, const std::string& gpu, const std::string& file) {
    const auto stem = std::filesystem::path(file).stem().string();
    return read_card(report, gpu, [&](const json&, const json& card) -> Result<std::string> {
        for (const json& stage : card.at("stages")) {
            const auto name = stage.at("name").get<std::string>();
            if (is_for(name, stem)) return name;
        }
        return std::string();
    });
}

Result<Recommended> recommended_by(const json& report, const std::string& gpu,
                                   const std::string& stage) {
    return read_card(
        report, gpu, [&](const json& summary, const json& card) -> Result<Recommended> {
            const json* part = &card;
            if (!stage.empty()) {
                part = named(card.at("stages"), "/name", stage);
                if (part == nullptr)
                    return fail(Errc::not_found, "The report has no stage \"" + stage + "\".");
            }
            if (part->at("accumulation").is_null()) {
                return fail(Errc::invalid_input,
                            "According to the report, the run does not fit: nothing to apply.");
            }
            const json& training = summary.at("training");
            Recommended r;
            r.batch = part->at("batch");
            r.accumulation = part->at("accumulation").at("nearest").at("steps");
            if (const json& shard = card.at("shard"); !shard.is_null()) {
                for (const char* divides : {"tensor_parallel", "context_parallel",
                                            "expert_parallel", "pipeline_parallel"})
                    if (shard.value(divides, 1) > 1)
                        return fail(Errc::invalid_input,
                                    fmt::format("The report is of a model that several GPUs divide "
                                                "({}): set its values by hand.",
                                                divides));
                r.cards = shard.at("cards");
                r.sharding = shard.at("sharding");
                r.offload = shard.at("offload");
            }
            r.precision = card.at("precision");
            r.optimizer = training.at("optimizer");
            r.fused = training.at("optimizer_kernel") == "fused";
            r.checkpointing = training.at("checkpointing");
            r.clip = training.at("clip");
            r.attention = training.at("attention");
            r.sequence = training.at("sequence_length");
            r.lora_rank = training.at("lora_rank");
            training.at("lora_targets").get_to(r.lora_targets);
            r.quantization = training.at("quantization");
            r.training = training;
            r.largest = part->at("max_batch");
            r.trainable = card.at("trainable_parameters");
            if (const json& rate = card.at("learning_rate").at("recommended"); !rate.is_null())
                r.rate = rate.get<double>();
            r.warmup_steps = card.at("learning_rate").at("warmup_steps");
            r.workers = card.at("loader").at("workers");
            if (!stage.empty()) {
                r.sequence = part->at("sequence_length");
                r.positives = part->at("positives").get<std::int64_t>();
                r.negatives = part->at("negatives").get<std::int64_t>();
            }
            return r;
        });
}

}  // namespace plimsoll::jobs::training_config
