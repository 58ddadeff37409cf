#include "server/kinds/training_config/command/described_cards.hpp"

#include "engine/base/json.hpp"
#include "engine/training/gpus/catalogue.hpp"
#include "server/base/programs/child_program.hpp"
#include "server/client/session.hpp"
#include "server/kinds/training_config/contract/collections.hpp"
#include "server/kinds/training_config/contract/complete.hpp"
#include "server/kinds/training_config/contract/default_gpu.hpp"
#include "server/kinds/training_config/contract/request.hpp"

#include <algorithm>
#include <cstdlib>

#include <unistd.h>

namespace plimsoll::jobs::training_config {

Result<training::DetectedGpu> detected_gpu(const CardFlags& flags) {
    if (flags.memory_gib > 0) {
        return training::DetectedGpu{
            flags.name.empty() ? "A GPU" : flags.name,
            static_cast<std::int64_t>(flags.memory_gib * 1024 * 1024 * 1024)};
    }
    const auto tool = run_program({.path = "/usr/bin/env",  // looks it up
                                   .arguments = {"nvidia-smi", "--query-gpu=name,memory.total",
                                                 "--format=csv,noheader,nounits"},
                                   .environment = current_environment(),
                                   .redirections = {{ChildCommand::kNothing, STDERR_FILENO}}});
    if (!tool || tool->status != 0 || tool->output.empty()) {
        return fail(Errc::not_found, "nvidia-smi lists no GPU on this machine. Describe one with " +
                                         flags.other + ".");
    }
    const auto text = tool->output.substr(0, tool->output.find('\n'));
    const auto comma = text.rfind(',');
    const auto mebibytes = comma == std::string::npos ? 0 : std::atoll(text.c_str() + comma + 1);
    if (mebibytes <= 0) return fail(Errc::internal, "nvidia-smi reported: " + text);
    return training::DetectedGpu{text.substr(0, comma), mebibytes << 20};
}

Result<training::GpuProfile> profile_or_default(const std::string& id) {
    if (!id.empty())
        return id.ends_with(".json") ? gpu_meant_by(id) : training::GpuCatalogue().find(id);
    return default_gpu();
}

namespace {

// A TrainingCustomGpu of the contract, from a GpuProfile of it.
json custom_gpu(const json& profile) {
    constexpr double gib = 1024.0 * 1024 * 1024;
    const auto value = [&](const char* name) { return profile.at(name).at("value").get<double>(); };
    std::string capability = profile.at("compute_capability");
    std::erase(capability, '.');
    json out = {{"id", profile.at("id")},
                {"name", profile.at("name")},
                {"memory_gib", value("memory_bytes") / gib},
                {"context_gib", value("context_bytes") / gib},
                {"bandwidth_gb_s", value("bandwidth") / 1e9},
                {"fp32_tflops", value("fp32_flops") / 1e12},
                {"fp16_tflops", value("fp16_flops") / 1e12},
                {"bf16_tflops", value("bf16_flops") / 1e12},
                {"compute_capability", std::stoi(capability)},
                {"multiprocessors", static_cast<int>(value("multiprocessors"))}};
    const json& guide = profile.at("guide");
    if (guide.is_null()) return out;
    for (const auto* name : {"vram_gb", "batch_size_1d", "batch_size_1h", "max_workers", "notes"})
        out[name] = guide.at(name);
    out["memory_per_model_1d"] = guide.at("memory_per_model_1d_gb");
    out["memory_per_model_1h"] = guide.at("memory_per_model_1h_gb");
    return out;
}

// The team's cards; none if the user is not signed in or the server does not respond: the catalogue
// then reports the unknown name.
std::vector<TeamRecord> team_cards() {
    std::vector<TeamRecord> cards;
    auto api = client::signed_in();
    if (!api) return cards;
    const auto list = api->get_json("/v1/gpu-profiles");
    if (!list) return cards;
    for (const auto& profile : list->at("items")) {
        if (!profile.at("custom")) continue;
        TeamRecord card;
        card.id = profile.at("id");
        card.data = custom_gpu(profile).dump();
        cards.push_back(std::move(card));
    }
    return cards;
}

// "2x4090" are two cards, unless --cards says otherwise.
void count_cards(json& args, int cards) {
    json& cluster = args["cluster"];
    if (cluster.is_null()) cluster = json::object();
    if (!cluster.contains("cards")) cluster["cards"] = cards;
}

}  // namespace

Result<training::GpuProfile> gpu_named(const std::string& id) {
    auto built_in = training::GpuCatalogue().find(id);
    if (built_in) return built_in;
    for (const auto& card : team_cards())
        if (card.id == id) return parse_custom_gpu(json::parse(card.data));
    return built_in;
}

Result<json> with_described_cards(json args) {
    auto named = args.value("gpus", json::array());
    if (named.size() == 1 && named.front().is_string())
        if (const auto cards = training::cards_in(named.front().get<std::string>()); cards > 1)
            count_cards(args, cards);
    PlanningContext known;
    auto& own = known.records[kGpuProfiles.name];
    if (std::ranges::find(named, json("auto")) != named.end()) {
        TRY(const auto card, detected_gpu());
        known.devices.push_back({"here", card.name, card.total_bytes});
    }
    const char* standard = std::getenv("GPU_PROFILE");
    if (named.empty() && !args.contains("custom_gpus") && standard != nullptr && !default_gpu())
        named.push_back(standard);
    const auto built_in = [&](const json& id) {
        return id == "auto" || id == "all" || training::GpuCatalogue().find(id.get<std::string>());
    };
    if (!std::ranges::all_of(named, built_in)) own = team_cards();
    const auto is_own = [&](const json& id) {
        return std::ranges::any_of(own, [&](const auto& card) { return id == card.id; });
    };
    if (!args.contains("gpus") && std::ranges::any_of(named, is_own)) args["gpus"] = named;
    if (known.devices.empty() && own.empty()) return args;
    auto completed = complete(std::move(args), known);
    if (!completed) return fail(Errc::not_found, completed.error().front().message);
    return std::move(*completed);
}

}  // namespace plimsoll::jobs::training_config
