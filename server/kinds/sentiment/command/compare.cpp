// `plimsoll compare-models`: several models on the same texts.
#include "engine/base/format_number.hpp"
#include "server/client/session.hpp"
#include "server/kinds/sentiment/command/commands.hpp"
#include "server/kinds/sentiment/command/disagreements.hpp"
#include "server/kinds/sentiment/contract/comparison.hpp"
#include "server/kinds/sentiment/contract/texts.hpp"
#include "server/terminal/field_flags.hpp"
#include "server/terminal/files/column_flag.hpp"
#include "server/terminal/files/job_file.hpp"
#include "server/terminal/files/no_header.hpp"
#include "server/terminal/files/records_file.hpp"
#include "server/terminal/follow_job.hpp"
#include "server/terminal/table_width.hpp"

#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>

namespace plimsoll::jobs::sentiment {
namespace {

using nlohmann::json;
using terminal::CommandContext;

struct CompareFlags {
    std::string file;
    std::vector<std::string> models;
    std::vector<std::string> columns;
    std::vector<std::string> label_names;  // own=positive
    std::optional<double> neutral_within;
    std::string form;
    std::string long_texts;
    std::string disagreements;  // file; empty: none
};

constexpr terminal::FieldFlag kComparedFields[] = {
    {"/args/models", "--models"},
    {"/args/label_names", "--label-name"},
    {"/args/neutral_within", "--neutral-within"},
    {"/args/form", "--form"},
    {"/args/long_texts", "--long-texts"},
    {"/args/columns/", "--column "},
};

// The default model first, then the others that workers have.
Result<json> all_models(client::ApiClient& api) {
    const auto answer = api.get_json("/v1/models");
    if (!answer) return fail(answer.error());
    auto names = json::array({answer->at("default")});
    for (const json& model : answer->at("items")) {
        const json& name = model.at("name");
        if (name != names.front() && names.size() < kMostCompared) names.push_back(name);
    }
    return names;
}

// Labels are read from the column `label`, if it exists and no other column is named.
Result<json> items_of(client::ApiClient& api, const CommandContext& context,
                      const CompareFlags& flags) {
    const auto is_label = [](const std::string& column) { return column.starts_with("label="); };
    auto columns = flags.columns;
    if (std::ranges::none_of(columns, is_label) && !terminal::without_header(columns) &&
        terminal::may_have_column(flags.file, "label")) {
        columns.emplace_back("label=label");
    }
    return args_of_file(api, context.terminal, flags.file, columns);
}

Result<json> args_of(client::ApiClient& api, const CommandContext& context,
                     const CompareFlags& flags) {
    auto args = items_of(api, context, flags);
    if (!args) return args;
    auto models = flags.models.empty() ? all_models(api) : Result<json>(flags.models);
    if (!models) return models;
    (*args)["models"] = std::move(*models);
    for (const auto& name : flags.label_names) {
        const auto equals = name.rfind('=');
        if (equals == std::string::npos) {
            return fail(
                Errc::invalid_input,
                "--label-name must be LABEL=positive, LABEL=neutral or LABEL=negative, not \"" +
                    name + "\".");
        }
        json& meanings = (*args)["label_names"];
        const auto label = name.substr(0, equals);
        if (meanings.contains(label)) {
            return fail(Errc::invalid_input, "--label-name gives " + label + " twice.");
        }
        meanings[label] = name.substr(equals + 1);
    }
    if (flags.neutral_within) (*args)["neutral_within"] = *flags.neutral_within;
    if (!flags.form.empty()) (*args)["form"] = flags.form;
    if (!flags.long_texts.empty()) (*args)["long_texts"] = flags.long_texts;
    return args;
}

int compare(const CommandContext& context, const CompareFlags& flags) {
    auto api = client::signed_in();
    if (!api) return refuse(context, api.error());
    const auto args = args_of(*api, context, flags);
    if (!args) return refuse(context, args.error());
    const auto job = api->post_json(
        "/v1/jobs", {{"kind", kName}, {"name", "Comparison of models"}, {"args", *args}});
    if (!job) return refuse(context, terminal::in_flags(job.error(), kComparedFields));
    const auto id = job->at("id").get<std::string>();
    context.terminal.note("Submitted " + id);
    const int code = follow_job(context, id, terminal::Ending::note);
    const auto report = api->get_json("/v1/jobs/" + id + "/report");
    if (!report) return code != 0 ? code : refuse(context, report.error());
    context.terminal.line(context.json
                              ? report->dump(2)
                              : summary_text(report->at("summary"), table_width(context.terminal)));
    if (flags.disagreements.empty()) return code;
    const auto written = write_disagreements(*api, id, flags.disagreements);
    if (!written) return refuse(context, written.error());
    context.terminal.note("Wrote " + format_count(*written) +
                          " texts on which the models disagree to " + flags.disagreements);
    return code;
}

}  // namespace

void add_compare_command(CLI::App& app, CommandContext& context) {
    const auto flags = std::make_shared<CompareFlags>();
    auto* command = app.add_subcommand(
        "compare-models",
        "Score a file of texts with several models, and compare agreement, accuracy and speed");
    command->add_option("file", flags->file, "Texts as .jsonl or .csv, optionally labelled")
        ->required();
    command
        ->add_option("--models", flags->models,
                     "Models to compare, at most 5, the one in use first: finbert,distilbert,vader "
                     "(default: all models of the workers)")
        ->delimiter(',');
    command
        ->add_option("--form", flags->form,
                     "Numeric form of the models: auto, fp32, bf16 or int8 (default: fp32)")
        ->check(CLI::IsMember({"auto", "fp32", "bf16", "int8"}));
    command
        ->add_option(
            "--long-texts", flags->long_texts,
            "How a model reads texts longer than its limit: truncate (default), or windows: "
            "the whole text, window by window")
        ->check(CLI::IsMember({"truncate", "windows"}));
    terminal::add_column_flag(*command, flags->columns);
    command->add_option("--label-name", flags->label_names,
                        "Meaning of a label in the file: 1=positive; repeatable");
    command
        ->add_option("--neutral-within", flags->neutral_within,
                     "Count scores this close to 0 as neutral, for models without a neutral label")
        ->check(CLI::Range(0.0, 1.0));
    command->add_option(
        "--disagreements", flags->disagreements,
        "Write texts on which the models disagree to this file as JSON lines, for labelling");
    command->callback([flags, &context] {
        context.exit_code = flags->models.size() == 1 && !flags->disagreements.empty()
                                ? refuse(context, {Errc::invalid_input,
                                                   "--disagreements has no effect with one model: "
                                                   "name several with --models.",
                                                   {}})
                                : compare(context, *flags);
    });
}

}  // namespace plimsoll::jobs::sentiment
