#include "server/jobs/training_config/command/advice.hpp"

#include "engine/training/advice/text.hpp"
#include "server/jobs/profile/contract/summary_text.hpp"
#include "server/jobs/training_config/command/advice_arguments.hpp"
#include "server/jobs/training_config/command/apply.hpp"
#include "server/jobs/training_config/command/show_config.hpp"
#include "server/jobs/training_config/command/team_gpu_profiles.hpp"
#include "server/jobs/training_config/contract/advice.hpp"
#include "server/jobs/training_config/contract/gpu_profiles.hpp"
#include "server/jobs/training_config/contract/limits.hpp"
#include "server/jobs/training_config/contract/training_advisor.hpp"
#include "server/jobs/waves/contract/summary_text.hpp"

#include <cstdio>
#include <cstdlib>
#include <memory>

#include <CLI/CLI.hpp>

namespace plimsoll::app {
namespace {

using nlohmann::json;
namespace tr = ::plimsoll::training;

int refuse(const Error& error) {
    std::fprintf(stderr, "Error: %s%s\n", error.message.c_str(),
                 error.where.empty() ? "" : (" (" + error.where + ")").c_str());
    return 2;
}

void print(const std::string& text) {
    std::fputs(text.c_str(), stdout);
}

struct CardFlags {
    std::string profile;
    std::string name;
    double memory_gib = 0;
};

// The card that was described, or the first one that the driver's own tool knows.
Result<tr::DetectedGpu> detected(const CardFlags& flags) {
    if (flags.memory_gib > 0) {
        return tr::DetectedGpu{flags.name.empty() ? "A card" : flags.name,
                               static_cast<std::int64_t>(flags.memory_gib * 1024 * 1024 * 1024)};
    }
    const std::unique_ptr<FILE, int (*)(FILE*)> tool(
        popen("nvidia-smi --query-gpu=name,memory.total --format=csv,noheader,nounits 2>/dev/null",
              "r"),
        pclose);
    char line[256] = {};
    if (!tool || std::fgets(line, sizeof line, tool.get()) == nullptr) {
        return fail(Errc::not_found,
                    "nvidia-smi shows no GPU here. Describe one with --memory-gib and --name.");
    }
    const std::string text = line;
    const auto comma = text.rfind(',');
    const auto mebibytes = comma == std::string::npos ? 0 : std::atoll(text.c_str() + comma + 1);
    if (mebibytes <= 0) return fail(Errc::internal, "nvidia-smi said: " + text);
    return tr::DetectedGpu{text.substr(0, comma), mebibytes << 20};
}

// "auto" is this machine's card here, as it is the pool's on a server.
Result<json> with_own_card(json args) {
    const auto named = args.value("gpus", json::array());
    if (std::ranges::find(named, json("auto")) == named.end()) return args;
    const auto card = detected({});
    if (!card) return fail(card.error());
    auto completed = TrainingAdvisor().complete(
        std::move(args),
        {.cards = {}, .measurements = {}, .devices = {{"here", card->name, card->total_bytes}}});
    if (!completed) return fail(Errc::not_found, completed.error().front().message);
    return std::move(*completed);
}

int run_estimate(const EstimateFlags& flags, bool as_json) {
    auto args = estimate_args(flags);
    if (args) args = with_own_card(std::move(*args));
    if (!args) return refuse(args.error());
    const auto request = checked_request(*args);
    if (!request) {
        for (const auto& error : request.error()) {
            std::fprintf(stderr, "Error: %s: %s\n", error.pointer.c_str(), error.message.c_str());
        }
        return 2;
    }
    if (request->probe) {
        return refuse({Errc::invalid_input,
                       "A device is measured by a job: plimsoll submit training-config.",
                       "/probe"});
    }
    json cards = json::array();
    for (std::size_t i = 0; i < request->report.gpus.size(); ++i) {
        auto card = jobs::training_config::card_json(*request, i);
        if (!card) return refuse(card.error());
        cards.push_back(std::move(*card));
    }
    const auto summary = jobs::training_config::summary_json(*request, std::move(cards));
    print(as_json ? summary.dump(2) + "\n" : jobs::training_config::summary_text(summary));
    if (as_json) return 0;
    const bool some_fit =
        std::ranges::any_of(summary["gpus"], [](const json& card) { return card["fits"] != "no"; });
    return some_fit ? 0 : 1;
}

void add_estimate(CLI::App& app, const bool& as_json, int& code) {
    const auto flags = std::make_shared<EstimateFlags>();
    auto* command = app.add_subcommand(
        "estimate", "Predict the GPU memory of a training run, and what to set; needs no server");
    command->add_option("file", flags->file,
                        "Arguments of a training-config job as .json; flags override them");
    command->add_option("--preset", flags->preset, "A known model: bert-base, gpt2, llama-8b…");
    command->add_option("--config", flags->config, "A Hugging Face config.json");
    command->add_option("--gpu", flags->gpus,
                        "A GPU profile, repeatable, or all; $GPU_PROFILE or rtx_4090 if left out");
    command->add_option("--sequence-length", flags->sequence_length, "Tokens or time steps");
    command->add_option("--batch", flags->batch, "Judge this batch instead of recommending one");
    command->add_option("--precision", flags->precision,
                        "fp32, bf16_autocast, fp16_autocast or bf16");
    command->add_option("--optimizer", flags->optimizer,
                        "adamw, sgd, sgd_momentum, adafactor or adam_8bit");
    command->add_option("--lora", flags->lora, "Rank of adapters; everything else is frozen");
    command->add_flag("--checkpointing", flags->checkpointing, "Gradient checkpointing");
    command->add_option("--target-effective-batch", flags->target_effective_batch,
                        "Samples per optimizer step");
    command->add_option("--safety-margin", flags->safety_margin, "Share of the card to use");
    command->add_flag("--what-ifs", flags->what_ifs, "Try changes that would make room");
    command->add_option("--set", flags->settings,
                        "Any other argument by its place: workload.epochs=5, repeatable");
    command->callback([flags, &as_json, &code] { code = run_estimate(*flags, as_json); });
}

Result<tr::GpuProfile> profile_or_default(const std::string& id) {
    if (!id.empty()) return tr::GpuCatalogue().find(id);
    const char* standard = std::getenv("GPU_PROFILE");
    return tr::gpu_guide::resolve(standard != nullptr ? standard : "");
}

CLI::App* add_profiles(CLI::App& app, const bool& as_json, int& code) {
    const auto flags = std::make_shared<CardFlags>();
    auto* command = app.add_subcommand("gpu-profiles",
                                       "What is known about GPU models; list, test, recommend "
                                       "and check need no server");
    command->require_subcommand(1);
    command->add_subcommand("list", "List them, ordered by memory")->callback([&as_json] {
        print(as_json ? jobs::training_config::gpu_profiles_json().dump(2) + "\n"
                      : tr::text::profile_list(tr::shipped_gpus()));
    });
    auto* test = command->add_subcommand("test", "Show one with the source of every number");
    test->add_option("profile", flags->profile, "Its id, rtx_4090")->required();
    test->callback([flags, &code] {
        const auto profile = tr::GpuCatalogue().find(flags->profile);
        if (!profile) {
            code = refuse(profile.error());
            return;
        }
        print(tr::text::profile_details(*profile));
    });
    const auto describe_card = [flags](CLI::App* sub) {
        sub->add_option("--memory-gib", flags->memory_gib,
                        "Memory of the card; asks nvidia-smi if left out")
            ->check(CLI::Range(0.5, 4096.0));
        sub->add_option("--name", flags->name, "Name of the card");
    };
    auto* recommend = command->add_subcommand("recommend", "The profile for this machine's card");
    describe_card(recommend);
    recommend->callback([flags, &code] {
        const auto card = detected(*flags);
        if (!card) {
            code = refuse(card.error());
            return;
        }
        print(tr::text::recommendation(tr::gpu_guide::recommend(*card), *card));
    });
    auto* check = command->add_subcommand("check", "Whether this machine's card is what it says");
    check->add_option("profile", flags->profile, "Its id; $GPU_PROFILE or rtx_4090 if left out");
    describe_card(check);
    check->callback([flags, &code] {
        const auto profile = profile_or_default(flags->profile);
        const auto card = detected(*flags);
        if (!profile || !card) {
            code = refuse(profile ? card.error() : profile.error());
            return;
        }
        const auto result = tr::gpu_guide::check(*profile, *card);
        print(tr::text::check(*profile, result));
        code = result.enough_memory ? 0 : 1;
    });
    return command;
}

// Those that the signed-in team has described on its server.
void add_own_profiles(CLI::App& profiles, const client::Session& session, int& code) {
    struct Flags {
        std::string id;
        std::string file;
    };
    const auto flags = std::make_shared<Flags>();
    auto* add = profiles.add_subcommand("add", "Describe a card of the team's own on the server");
    add->add_option("profile", flags->id, "What jobs name it by: lab_card")->required();
    add->add_option("file", flags->file, "JSON: memory_gib, bandwidth_gb_s, fp32_tflops…")
        ->required()
        ->check(CLI::ExistingFile);
    add->callback([flags, &session, &code] {
        code = client::put_gpu_profile(session, flags->id, flags->file);
    });
    auto* remove = profiles.add_subcommand("remove", "Remove a card of the team's own");
    remove->add_option("profile", flags->id, "Its id")->required();
    remove->callback(
        [flags, &session, &code] { code = client::remove_gpu_profile(session, flags->id); });
    profiles.add_subcommand("own", "List the team's own cards")->callback([&session, &code] {
        code = client::list_own_gpu_profiles(session);
    });
}

void add_guide(CLI::App& app, int& code) {
    const auto search = std::make_shared<tr::naics::Search>();
    const auto automatic = std::make_shared<bool>(false);
    auto* command = app.add_subcommand(
        "guide", "The NAICS memory guide's own suggestions for a card, to the digit");
    auto* memory = command->add_option("--gpu-memory", search->gpu_gib, "GiB of the card");
    auto* here = command->add_flag("--auto", *automatic, "Ask nvidia-smi")->excludes(memory);
    command->add_option("--target-effective-batch", search->target_effective_batch,
                        "Samples per optimizer step");
    command->add_option("--safety-margin", search->safety, "Share of the card to use");
    command->callback([search, automatic, memory, here, &code] {
        if (memory->empty() && here->empty()) throw CLI::RequiredError("--gpu-memory or --auto");
        if (*automatic) {
            const auto card = detected({});
            if (!card) {
                code = refuse(card.error());
                return;
            }
            search->gpu_gib = static_cast<double>(card->total_bytes) / (1024.0 * 1024 * 1024);
        }
        const auto stages = tr::naics::suggest_stages({}, *search);
        if (!stages) {
            code = refuse(stages.error());
            return;
        }
        print(tr::text::naics_suggestions(*stages));
    });
}

void add_diagnose(CLI::App& app, int& code) {
    const auto seen = std::make_shared<tr::Observation>();
    auto* command = app.add_subcommand(
        "diagnose", "Why a training run is slow or out of memory, most likely cause first");
    command->add_option("--gpu-percent", seen->gpu_percent, "Utilisation of the GPU");
    command->add_option("--cpu-percent", seen->cpu_percent, "Utilisation of the CPU");
    command->add_option("--memory-percent", seen->memory_percent, "Share of its memory in use");
    command->add_flag("--out-of-memory", seen->out_of_memory, "It ran out of memory");
    command->add_option("--batch", seen->batch, "Its micro-batch");
    command->add_option("--accumulation", seen->accumulation, "Micro-batches per optimizer step");
    command->add_option("--workers", seen->loader_workers, "Its loader workers");
    command->add_option("--cpu-cores", seen->cpu_cores, "Cores of the machine");
    command->add_option("--step-seconds", seen->step_seconds,
                        "Time of an optimizer step, all its micro-batches");
    command->add_option("--max-batch", seen->max_batch, "The largest batch of an estimate");
    command->callback([seen, &code] {
        const auto causes = tr::diagnose(*seen);
        if (!causes) {
            code = refuse(causes.error());
            return;
        }
        print(causes->empty() ? "Nothing stands out.\n" : tr::text::causes(*causes));
    });
}

void add_apply(CLI::App& app, int& code) {
    const auto request = std::make_shared<ApplyRequest>();
    auto* command = app.add_subcommand(
        "apply", "Put a report's settings into YAML files, in place, keeping FILE.backup");
    command->add_option("report", request->report,
                        "A report as JSON: of `report JOB --json` or `estimate --json`");
    command->add_option("files", request->files, "conf/*.yaml");
    command->add_option("--gpu", request->gpu,
                        "The card to follow; the report's first if left out");
    command->add_option("--stage", request->stage, "The stage to follow, by its name");
    command->add_flag("--dry-run", request->dry_run,
                      "Show what would change, as a diff, and change nothing");
    command->add_option("--restore", request->files, "Put the originals of these files back")
        ->excludes(command->get_option("report"))
        ->each([request](const std::string&) { request->restore = true; });
    command->callback([request, &code] {
        if (request->files.empty()) throw CLI::RequiredError("a report and files, or --restore");
        const auto told = apply(*request);
        if (!told) {
            code = refuse(told.error());
            return;
        }
        print(*told);
    });
}

void add_show_config(CLI::App& app, int& code) {
    const auto folder = std::make_shared<std::string>();
    const auto gpu = std::make_shared<std::string>();
    auto* command = app.add_subcommand(
        "show-config", "Memory of every stage of a configuration folder, and what to change");
    command->add_option("folder", *folder, "With config.yaml and its stages")->required();
    command->add_option("--gpu", *gpu, "A GPU profile; $GPU_PROFILE or rtx_4090 if left out");
    command->callback([folder, gpu, &code] {
        const auto profile = profile_or_default(*gpu);
        const auto stages = read_stages(*folder);
        if (!profile || !stages) {
            code = refuse(profile ? stages.error() : profile.error());
            return;
        }
        const auto told = show_stages(*stages, *profile);
        if (!told) {
            code = refuse(told.error());
            return;
        }
        print(*told);
    });
}

}  // namespace

std::string readable_summary(const std::string& kind, const json& summary) {
    if (kind == jobs::training_config::kName) return jobs::training_config::summary_text(summary);
    if (kind == "profile") return jobs::profile::summary_text(summary);
    if (kind == "waves") return jobs::waves::summary_text(summary);
    return {};
}

void add_advice_commands(CLI::App& app, const client::Session& session, int& code) {
    const bool& as_json = session.json;
    add_estimate(app, as_json, code);
    add_own_profiles(*add_profiles(app, as_json, code), session, code);
    add_guide(app, code);
    add_diagnose(app, code);
    add_apply(app, code);
    add_show_config(app, code);
}

}  // namespace plimsoll::app
