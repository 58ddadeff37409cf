#include "server/kinds/training_config/command/configs/configured_stages.hpp"

#include "engine/training/advice/report.hpp"
#include "engine/training/guides/naics_memory.hpp"
#include "engine/training/models/presets.hpp"
#include "server/kinds/training_config/contract/bytes.hpp"

#include <algorithm>
#include <filesystem>
#include <optional>

#include <fmt/format.h>
#include <yaml-cpp/yaml.h>

namespace plimsoll::jobs::training_config {
namespace {

namespace fs = std::filesystem;
namespace tr = ::plimsoll::training;

constexpr int kGuideNegatives = 24;  // of the guide's first stage

// The first whole number under this key, at any depth.
std::optional<int> number_at(const YAML::Node& node, const std::string& key) {
    if (node.IsSequence()) {
        for (const auto& item : node)
            if (const auto found = number_at(item, key)) return found;
    }
    if (!node.IsMap()) return std::nullopt;
    for (const auto& member : node) {
        if (member.second.IsScalar() && member.first.Scalar() == key) {
            int value = 0;
            if (YAML::convert<int>::decode(member.second, value)) return value;
        }
        if (const auto found = number_at(member.second, key)) return found;
    }
    return std::nullopt;
}

Result<YAML::Node> load(const fs::path& file) {
    try {
        return YAML::LoadFile(file.string());
    } catch (const YAML::BadFile&) {
        return fail(Errc::not_found, "The file cannot be read.", file.string());
    } catch (const YAML::Exception& error) {
        return fail(Errc::invalid_input, std::string("The file is not YAML: ") + error.what(),
                    file.string());
    }
}

std::vector<fs::path> other_files(const fs::path& folder, const fs::path& config) {
    std::vector<fs::path> files;
    std::error_code failed;
    for (const auto& entry : fs::recursive_directory_iterator(folder, failed))
        if (entry.path().extension() == ".yaml" && entry.path() != config)
            files.push_back(entry.path());
    std::ranges::sort(files);
    return files;
}

// As the guide's project trains: adapters of rank 8 on all linear layers, checkpointing, fp16
// autocast, whole texts.
tr::ReportRequest guide_request(const ConfiguredStage& stage, const tr::GpuProfile& gpu) {
    tr::ReportRequest request;
    request.shape = *tr::preset("naics-4ch");
    request.settings.sequence = 512;
    request.settings.precision = tr::Precision::fp16_autocast;
    request.settings.checkpointing = true;
    request.settings.lora.rank = 8;
    request.settings.lora.targets = tr::Lora::Targets::all_linear;
    request.settings.negatives = stage.negatives;
    request.gpus = {gpu};
    request.batch = stage.batch;
    request.target_effective_batch = std::int64_t{stage.batch} * stage.accumulation;
    request.what_ifs = request.curves = false;
    return request;
}

std::string advice(const tr::GpuReport& card) {
    if (card.fit == tr::Fit::no || card.fit == tr::Fit::tight)
        return fmt::format("lower the batch to {}", card.limits.round_batch);
    if (card.utilisation_percent < 60 && card.limits.round_batch > card.batch)
        return fmt::format("underused: a batch of {} fits", card.limits.round_batch);
    return "well used";
}

}  // namespace

Result<std::vector<ConfiguredStage>> read_stages(const std::string& folder) {
    const auto config = fs::path(folder) / "config.yaml";
    TRY(const auto root, load(config));
    ConfiguredStage base;
    const auto batch = number_at(root, "batch_size");
    if (!batch)
        return fail(Errc::invalid_input, "The file has no numeric batch_size.", config.string());
    base.name = "config.yaml";
    base.batch = *batch;
    base.accumulation = number_at(root, "accumulate_grad_batches").value_or(1);
    if (base.batch < 1 || base.batch > 65536 || base.accumulation < 1 ||
        base.accumulation > 1'000'000) {
        return fail(Errc::invalid_input,
                    "batch_size must be between 1 and 65536, accumulate_grad_batches between 1 and "
                    "1000000.",
                    config.string());
    }
    std::vector<ConfiguredStage> stages;
    for (const auto& file : other_files(folder, config)) {
        TRY(const auto node, load(file));
        const auto negatives = number_at(node, "n_negatives");
        if (!negatives) continue;
        auto stage = base;
        stage.name = fs::relative(file, folder).string();
        stage.negatives = *negatives;
        stage.positives = number_at(node, "n_positives").value_or(0);
        stage.batch = number_at(node, "batch_size").value_or(base.batch);
        stages.push_back(std::move(stage));
    }
    if (stages.empty()) {
        base.negatives = number_at(root, "n_negatives").value_or(kGuideNegatives);
        base.positives = number_at(root, "n_positives").value_or(0);
        stages.push_back(std::move(base));
    }
    return stages;
}

Result<Answer> show_stages(const std::vector<ConfiguredStage>& stages, const tr::GpuProfile& gpu) {
    const double gib = static_cast<double>(gpu.total_bytes()) / kGiB;
    Answer out{{{"gpu", gpu.id}, {"stages", nlohmann::json::array()}},
               fmt::format("{}, {:.1f} GiB\n", gpu.name, gib)};
    for (const auto& stage : stages) {
        const auto report = tr::make_report(guide_request(stage, gpu));
        if (!report) return fail(report.error().code, report.error().message, stage.name);
        const auto& card = report->gpus.front();
        const auto guide = tr::naics::memory({}, stage.batch, stage.negatives);
        const double share = guide.total_gib() / gib * 100;
        out.value["stages"].push_back({{"name", stage.name},
                                       {"batch", stage.batch},
                                       {"accumulation", stage.accumulation},
                                       {"positives", stage.positives},
                                       {"negatives", stage.negatives},
                                       {"guide_gib", guide.total_gib()},
                                       {"device_used_bytes", card.device_used},
                                       {"utilization_percent", card.utilisation_percent},
                                       {"fits", tr::to_string(card.fit)},
                                       {"max_batch", card.limits.max_batch},
                                       {"advice", advice(card)}});
        out.text += fmt::format(
            "{}: batch {} x {}, {} positives, {} negatives\n"
            "  guide's formula: {:.1f} GiB, {:.0f} % ({})\n"
            "  this estimate:   {}, {:.0f} % (fits: {}); {}\n",
            stage.name, stage.batch, stage.accumulation, stage.positives, stage.negatives,
            guide.total_gib(), share, tr::naics::to_string(tr::naics::judge_utilisation(share)),
            gib_text(static_cast<double>(card.device_used)), card.utilisation_percent,
            tr::to_string(card.fit), advice(card));
    }
    return out;
}

}  // namespace plimsoll::jobs::training_config
