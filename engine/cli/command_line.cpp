#include "engine/cli/command_line.hpp"

#include "engine/cli/commands.hpp"

#include <cstdio>
#include <cstdlib>
#include <memory>

#include <CLI/CLI.hpp>

namespace plimsoll::cli {
namespace {

// A command, and the options that it runs with.
template <class Options>
class Command {
  public:
    Command(CLI::App& app, const char* name, const char* help)
        : app_(app.add_subcommand(name, help)) {}

    CLI::App* operator->() { return app_; }
    Options& options() { return *options_; }

    void add_device() {
        app_->add_option("--device", options_->device,
                         "Device: opencl:<platform>:<index> (default: the first ready one)");
    }
    void add_models() {
        app_->add_option("--models", options_->models,
                         "Model folder (default: as for this machine's workers)");
    }
    void runs(Result<int> (*run)(const Options&), const std::filesystem::path& cache,
              std::function<int()>& chosen) {
        app_->callback([options = options_, run, &cache, &chosen] {
            chosen = [options, run, &cache] {
                options->cache = cache;
                const auto done = run(*options);
                if (done) return *done;
                const auto& [code, message, where] = done.error();
                std::fprintf(stderr, "plimsoll-engine: %s%s\n", message.c_str(),
                             where.empty() ? "" : (" (" + where + ")").c_str());
                return EXIT_FAILURE;
            };
        });
    }

  private:
    CLI::App* app_;
    std::shared_ptr<Options> options_ = std::make_shared<Options>();
};

}  // namespace

void add_commands(CLI::App& app, const std::filesystem::path& cache, std::function<int()>& chosen) {
    Command<ProbeOptions> probing(app, "probe", "List OpenCL devices and test them");
    probing->add_flag("--json", probing.options().json, "Print one line of JSON");
    probing.runs(probe, cache, chosen);

    Command<BenchOptions> benching(app, "bench", "Measure the speed of a device");
    benching.add_device();
    benching->add_flag("--json", benching.options().json, "Print one line of JSON per measurement");
    benching->add_flag("--sweep", benching.options().sweep,
                       "Also measure every batch size and compare the search with it");
    benching.runs(bench, cache, chosen);

    Command<TuneOptions> tuning(app, "tune", "Find the fastest matrix product plans and save them");
    tuning.add_device();
    tuning->add_option("--seconds", tuning.options().seconds, "Seconds per product size and method")
        ->check(CLI::Range(0.1, 600.0))
        ->capture_default_str();
    tuning.runs(tune, cache, chosen);

    Command<ProveOptions> proving(
        app, "prove", "Compare a model's bf16 and int8 forms with fp32, and record which pass");
    auto& proven = proving.options();
    proving->add_option("model", proven.model, "Name of the model")->required();
    proving
        ->add_option("--form", proven.form,
                     "Form to prove: bf16 or int8 (default: all that the device supports)")
        ->check(CLI::IsMember({"bf16", "int8"}));
    auto* texts = proving
                      ->add_option("--texts", proven.texts,
                                   "Texts as .csv or .jsonl (default: 512 built-in texts)")
                      ->check(CLI::ExistingFile);
    proving
        ->add_option("--labels", proven.labels,
                     "Texts with a column `label`, to measure the accuracy of each form as well")
        ->check(CLI::ExistingFile)
        ->excludes(texts);
    proving->add_option("--label-name", proven.label_names,
                        "Meaning of a label in the file: 1=positive; repeatable");
    proving.add_models();
    proving.add_device();
    proving.runs(prove, cache, chosen);

    Command<EmbedOptions> embedding(
        app, "embed", "Print the embeddings of texts by a model without a head, as JSON lines");
    embedding->add_option("model", embedding.options().model, "Name of the model")->required();
    embedding->add_option("texts", embedding.options().texts, "Texts as .csv or .jsonl")
        ->required()
        ->check(CLI::ExistingFile);
    embedding.add_models();
    embedding.add_device();
    embedding.runs(embed, cache, chosen);
}

}  // namespace plimsoll::cli
