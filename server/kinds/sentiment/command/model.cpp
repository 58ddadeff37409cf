// `plimsoll model`: the models of this machine, and those of the pool.
#include "engine/base/format_number.hpp"
#include "engine/base/json.hpp"
#include "engine/models/store.hpp"
#include "engine/sentiment/meaning.hpp"
#include "server/base/id.hpp"
#include "server/client/session.hpp"
#include "server/kinds/sentiment/command/commands.hpp"
#include "server/kinds/sentiment/command/hub.hpp"
#include "server/kinds/sentiment/command/model_work.hpp"
#include "server/kinds/sentiment/contract/settings.hpp"
#include "server/kinds/sentiment/contract/texts.hpp"
#include "server/terminal/command_context.hpp"
#include "server/terminal/list.hpp"

#include <filesystem>
#include <memory>
#include <string>

#include <CLI/CLI.hpp>

namespace plimsoll::jobs::sentiment {
namespace {

using models::Manifest;
using terminal::CommandContext;
using terminal::need;
using terminal::Refused;
using terminal::text_of;

struct ModelFlags {
    std::string folder;  // of models; empty: as workers of this machine
    std::string name;
    std::string source;
    std::string licence;
    std::string revision = "main";
    bool replace = false;
    bool pool = false;
    bool force = false;
    bool lines = false;  // reports progress and result to a program
    std::string added_by;
    std::string team;  // empty: all
    LabelledFile labels;
};

models::Store store_of(const ModelFlags& flags) {
    if (!flags.folder.empty()) return models::Store(flags.folder);
    KindSettings settings;
    need(read_environment(kSettings, settings));
    return models::Store(models_folder(settings));
}

ProgressStyle style(const ModelFlags& flags) {
    return flags.lines ? ProgressStyle::lines : ProgressStyle::bar;
}

void tell(const CommandContext& context, const ModelFlags& flags, const Manifest& model,
          const std::string& done) {
    if (context.json) return context.terminal.line(json(model).dump(flags.lines ? -1 : 2));
    context.terminal.line(details_of(model));
    context.terminal.note(done);
}

// Adds the files of a folder.
Result<Manifest> install(const CommandContext& context, const ModelFlags& flags,
                         models::Store& store, const std::filesystem::path& folder,
                         Manifest about) {
    const auto files = models::published_files(folder);
    if (files.names.empty()) {
        return fail(Errc::not_found,
                    "The folder must have config.json, a tokenizer, and weights: "
                    "model.safetensors, whole or in parts with an index, or one pytorch_model.bin.",
                    folder.string());
    }
    auto added = watched(context, style(flags), "Adding " + about.name, files.bytes,
                         [&](const Watch& watch) {
                             return store.add(folder, std::move(about), flags.replace, watch);
                         });
    if (!added || added->labels.empty()) return added;
    if (const auto meaning = ::plimsoll::sentiment::Meaning::of(added->labels); !meaning) {
        static_cast<void>(store.remove(added->name));
        return fail(meaning.error());
    }
    return added;
}

// Says how to use it.
void tell_added(const CommandContext& context, const ModelFlags& flags, const Manifest& added) {
    if (!added.warning.empty()) context.terminal.note("Warning: " + added.warning);
    tell(context, flags, added,
         added.labels.empty()
             ? "It has no classification head and cannot score texts; it makes embeddings: "
               "plimsoll-engine embed " +
                   added.name + " FILE"
             : "Workers on this machine will offer it within 10 s: plimsoll submit sentiment FILE "
               "--set model=" +
                   added.name);
}

// Who adds it for whom.
Manifest new_manifest(const ModelFlags& flags) {
    Manifest about;
    about.name = flags.name;
    about.added_by = flags.added_by;
    about.audience = flags.team;
    return about;
}

void add_model(const CommandContext& context, const ModelFlags& flags,
               const std::string& published) {
    auto about = new_manifest(flags);
    about.source = flags.source;
    about.licence = flags.licence;
    auto store = store_of(flags);
    tell_added(context, flags, need(install(context, flags, store, published, std::move(about))));
}

std::vector<std::string> row_of(const json& model) {
    std::vector<std::string> labels = model.value("labels", std::vector<std::string>{});
    return {text_of(model, "name"),
            text_of(model, "family"),
            format_count(model.value("parameters", std::int64_t{0})),
            joined(labels),
            text_of(model, "hash").substr(0, 12),
            text_of(model, "source")};
}

void list_models(const CommandContext& context, const ModelFlags& flags) {
    Result<json> page = json::object();
    if (flags.pool) {
        auto api = need(client::signed_in());
        page = api.get_json("/v1/models");
    } else {
        const auto store = store_of(flags);
        (*page)["items"] = json::array();
        for (const auto& model : store.list()) (*page)["items"].push_back(json(model));
    }
    return show_list(
        context, page, {{"MODEL", "FAMILY", "PARAMETERS", "LABELS", "HASH", "SOURCE"}}, row_of,
        "No models on this machine: try `plimsoll model pull finbert`. vader is built in.");
}

// The model is copied when it is added, so it temporarily needs twice its size.
Result<void> check_space(const HubModel& model, const std::filesystem::path& folder) {
    std::error_code error;
    const auto space = std::filesystem::space(folder, error);
    if (error) return {};
    std::uint64_t there = 0;
    for (const auto& file : std::filesystem::directory_iterator(folder, error))
        there += file.is_regular_file(error) ? file.file_size(error) : 0;
    const auto needed = 2 * model.bytes();
    if (there + space.available >= needed) return {};
    return fail(Errc::exhausted,
                model.repository + " needs " + size_text(needed) + " in " +
                    folder.parent_path().string() + " while it is added; " +
                    size_text(there + space.available) + " is free.",
                folder.string());
}

// Into a folder with which a later try continues.
Result<Manifest> fetch(const CommandContext& context, const ModelFlags& flags,
                       const client::Origin& hub, const HubModel& model,
                       const std::filesystem::path& folder) {
    TRY_DO(check_space(model, folder));
    return watched(context, style(flags), "Fetching " + model.repository, model.bytes(),
                   [&](const Watch& watch) -> Result<Manifest> {
                       TRY_DO(fetch_from_hub(hub, model, folder, watch));
                       return Manifest{};
                   });
}

// Fetches, then installs.
void pull_model(const CommandContext& context, const ModelFlags& flags, const std::string& wanted) {
    auto store = store_of(flags);
    const auto hub = need(hub_of_environment());
    const auto model = need(find_on_hub(hub, repository_of(wanted), flags.revision));
    auto about = new_manifest(flags);
    if (about.name.empty()) about.name = wanted;
    about.source = model.repository + "@" + model.commit;
    about.licence = model.licence;
    if (!models::is_model_name(about.name)) {
        throw Refused(Errc::invalid_input,
                      "A model's name must have 1 to 64 characters (a-z, 0-9, '.', '_', '-') and "
                      "begin with a letter or digit: choose one with --name.",
                      "name");
    }
    if (store.find(about.name) && !flags.replace) {
        throw Refused(
            Errc::conflict,
            "A model \"" + about.name +
                "\" is already installed: replace it with --replace, or choose another --name.",
            "name");
    }
    const auto folder = need(PullFolder::take(store.folder() / (".pull-" + model.commit)));
    auto added = fetch(context, flags, hub, model, folder.path());
    if (added) added = install(context, flags, store, folder.path(), std::move(about));
    // A broken connection or an interruption: a later try continues. Otherwise the files are of no
    // use.
    const bool goes_on = !added && (added.error().code == Errc::unavailable ||
                                    added.error().code == Errc::cancelled);
    if (!goes_on) folder.remove();
    tell_added(context, flags, need(std::move(added)));
}

template <class Act>
void with_model(const ModelFlags& flags, const Act& act) {
    auto store = store_of(flags);
    const auto found = need(store.find(flags.name));
    act(store, found);
}

// Checks that nothing on the server uses it. Errc::conflict names what does.
Result<void> check_unused(const std::string& model) {
    constexpr const char* kAnyway = " --force removes it anyway.";
    auto api = client::signed_in();
    const auto use =
        api ? api->get_json("/v1/models/" + model + "/use") : Result<json>(fail(api.error()));
    if (!use) {
        return fail(use.error().code,
                    "It is unknown whether jobs use the model: " + use.error().message + kAnyway);
    }
    if (!use->at("used").get<bool>()) return {};
    return fail(Errc::conflict, text_of(*use, "detail") + kAnyway);
}

void remove_model(const CommandContext& context, const ModelFlags& flags) {
    with_model(flags, [&](models::Store& store, const Manifest& model) {
        if (!flags.force) need(check_unused(model.name));
        need(store.remove(model.name));
        if (context.json) context.terminal.line(json(model).dump(2));
        context.terminal.note("Removed " + model.name +
                              ". Jobs that need it wait until a worker has it again.");
    });
}

void verify_model(const CommandContext& context, const ModelFlags& flags) {
    with_model(flags, [&](models::Store& store, const Manifest& model) {
        const auto verified =
            need(watched(context, style(flags), "Verifying " + model.name, model.bytes,
                         [&](const Watch& watch) { return store.verify(model.name, watch); }));
        if (flags.labels.file.empty()) {
            return tell(context, flags, verified,
                        "Every file matches its hash, and every number is finite.");
        }
        need(measure_accuracy(store.folder(), model.name, flags.labels, context.json));
        tell(context, flags, need(store.find(model.name)),
             "Every file matches its hash, every number is finite, and the accuracy is recorded.");
    });
}

// For CLI::Option::check: what is wrong, or nothing.
std::string is_team(const std::string& text) {
    return parse_public_id("team", text) ? "" : "must be a team's ID: team_…";
}

}  // namespace

void add_model_commands(CLI::App& app, CommandContext& context) {
    const auto flags = std::make_shared<ModelFlags>();
    auto* command =
        app.add_subcommand("model", "Install and list the models that this machine's workers use");
    command->require_subcommand(1);
    auto* folder =
        command->add_option("--models", flags->folder,
                            "Model folder (default: $PLIMSOLL_MODELS, else the user's; for root, "
                            "/var/lib/plimsoll/models)");
    const auto published = std::make_shared<std::string>();
    const auto add_lines = [&](CLI::App* sub) {
        sub->add_flag("--json-lines", flags->lines,
                      "Print progress and result as JSON, one object per line");
    };
    const auto add_origin = [&](CLI::App* sub) {
        sub->add_flag("--replace", flags->replace, "Replace an installed model of this name");
        sub->add_option("--team", flags->team,
                        "Only for this team, by ID: team_… (default: all teams)")
            ->check(is_team);
        sub->add_option("--added-by", flags->added_by, "Who adds it, as shown in lists of models");
    };
    auto* add = command->add_subcommand("add", "Install a published model from a folder");
    add->add_option("folder", *published, "Folder with config.json, tokenizer and weights")
        ->required()
        ->check(CLI::ExistingDirectory);
    add->add_option("--name", flags->name, "Name that jobs use, for example finbert")->required();
    add->add_option("--source", flags->source, "Origin, for example ProsusAI/finbert");
    add->add_option("--licence", flags->licence, "Licence, for example Apache-2.0");
    add_origin(add);
    add->callback([flags, published, &context] { add_model(context, *flags, *published); });
    auto* pull = command->add_subcommand("pull", "Download a model from a hub and install it");
    pull->add_option("model", *published,
                     "Model: finbert, distilbert, roberta, bert-multilingual, or OWNER/NAME")
        ->required();
    pull->add_option("--revision", flags->revision, "Branch, tag or commit")->capture_default_str();
    pull->add_option("--name", flags->name,
                     "Name that jobs use (default: the model's; required with OWNER/NAME)");
    add_origin(pull);
    add_lines(pull);
    pull->footer(
        "The hub is PLIMSOLL_HUB, else HF_ENDPOINT, else https://huggingface.co; HF_TOKEN is sent "
        "only to it.");
    pull->callback([flags, published, &context] {
        if (flags->lines) context.json = true;
        pull_model(context, *flags, *published);
    });
    auto* list = command->add_subcommand("list", "List the models of this machine");
    list->add_flag("--pool", flags->pool, "List the models of the server's workers instead")
        ->excludes(folder);
    list->callback([flags, &context] { list_models(context, *flags); });
    const auto named = [&](const char* word, const char* help, auto act) {
        auto* sub = command->add_subcommand(word, help);
        sub->add_option("name", flags->name, "The model")->required();
        sub->callback([flags, &context, act] {
            if (flags->lines) context.json = true;
            act(context, *flags);
        });
        return sub;
    };
    named("inspect", "Show a model's details", [](const CommandContext& c, const ModelFlags& f) {
        with_model(f, [&](models::Store&, const Manifest& model) {
            return tell(c, f, model, "Files: " + size_text(model.bytes) + ".");
        });
    });
    auto* verify =
        named("verify", "Check a model's files against their hashes, and measure its accuracy",
              verify_model);
    add_lines(verify);
    auto* labels = verify
                       ->add_option("--labels", flags->labels.file,
                                    "Texts as .jsonl or .csv with a column `label`, to measure the "
                                    "accuracy of each form")
                       ->check(CLI::ExistingFile);
    verify
        ->add_option("--label-name", flags->labels.names,
                     "Meaning of a label in the file: 1=positive; repeatable")
        ->needs(labels);
    named("remove",
          "Remove a model from this machine, unless the server's jobs, policies, schedules or "
          "settings use it",
          remove_model)
        ->add_flag("--force", flags->force,
                   "Remove it even if it is in use or the server cannot be reached");
}

}  // namespace plimsoll::jobs::sentiment
