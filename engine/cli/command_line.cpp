#include "engine/cli/command_line.hpp"

#include "engine/cli/commands.hpp"

#include <memory>

#include <CLI/CLI.hpp>

namespace plimsoll::cli {

void add_commands(CLI::App& app, const std::filesystem::path& cache, std::function<int()>& chosen) {
    const auto json = std::make_shared<bool>(false);
    auto* probing = app.add_subcommand("probe", "List OpenCL devices and test them");
    probing->add_flag("--json", *json, "Print one line of JSON");
    probing->callback([json, &chosen] { chosen = [json] { return probe(*json); }; });

    const auto benched = std::make_shared<BenchOptions>();
    auto* benching = app.add_subcommand("bench", "Measure the speed of a device");
    benching->add_option("--device", benched->device,
                         "Device: opencl:<platform>:<index> (default: the first ready one)");
    benching->add_flag("--json", benched->json, "Print one line of JSON per measurement");
    benching->add_flag("--sweep", benched->sweep,
                       "Also measure every batch size and compare the search with it");
    benching->callback([benched, &cache, &chosen] {
        chosen = [benched, &cache] {
            benched->cache = cache;
            return bench(*benched);
        };
    });

    const auto tuned = std::make_shared<TuneOptions>();
    auto* tuning =
        app.add_subcommand("tune", "Find the fastest matrix product plans and save them");
    tuning->add_option("--device", tuned->device,
                       "Device: opencl:<platform>:<index> (default: the first ready one)");
    tuning->add_option("--seconds", tuned->seconds, "Seconds per product size and method")
        ->check(CLI::Range(0.1, 600.0))
        ->capture_default_str();
    tuning->callback([tuned, &cache, &chosen] {
        chosen = [tuned, &cache] {
            tuned->cache = cache;
            return tune(*tuned);
        };
    });

    const auto proven = std::make_shared<ProveOptions>();
    auto* proving = app.add_subcommand(
        "prove", "Compare a model's bf16 and int8 forms with fp32, and record which pass");
    proving->add_option("model", proven->model, "Name of the model")->required();
    proving
        ->add_option("--form", proven->form,
                     "Form to prove: bf16 or int8 (default: all that the device supports)")
        ->check(CLI::IsMember({"bf16", "int8"}));
    auto* texts = proving
                      ->add_option("--texts", proven->texts,
                                   "Texts as .csv or .jsonl (default: 512 built-in texts)")
                      ->check(CLI::ExistingFile);
    proving
        ->add_option("--labels", proven->labels,
                     "Texts with a column `label`, to measure the accuracy of each form as well")
        ->check(CLI::ExistingFile)
        ->excludes(texts);
    proving->add_option("--label-name", proven->label_names,
                        "Meaning of a label in the file: 1=positive; repeatable");
    proving->add_option("--models", proven->models,
                        "Model folder (default: as for this machine's workers)");
    proving->add_option("--device", proven->device,
                        "Device: opencl:<platform>:<index> (default: the first ready one)");
    proving->callback([proven, &cache, &chosen] {
        chosen = [proven, &cache] {
            proven->cache = cache;
            return prove(*proven);
        };
    });

    const auto embedded = std::make_shared<EmbedOptions>();
    auto* embedding = app.add_subcommand(
        "embed", "Print the embeddings of texts by a model without a head, as JSON lines");
    embedding->add_option("model", embedded->model, "Name of the model")->required();
    embedding->add_option("texts", embedded->texts, "Texts as .csv or .jsonl")
        ->required()
        ->check(CLI::ExistingFile);
    embedding->add_option("--models", embedded->models,
                          "Model folder (default: as for this machine's workers)");
    embedding->add_option("--device", embedded->device,
                          "Device: opencl:<platform>:<index> (default: the first ready one)");
    embedding->callback([embedded, &cache, &chosen] {
        chosen = [embedded, &cache] {
            embedded->cache = cache;
            return embed(*embedded);
        };
    });
}

}  // namespace plimsoll::cli
