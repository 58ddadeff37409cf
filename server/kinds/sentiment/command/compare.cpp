// `plimsoll compare-models`: several models on the same texts.
#include "engine/base/format_number.hpp"
#include "engine/base/json.hpp"
#include "engine/base/result.hpp"
#include "server/client/api_client.hpp"
#include "server/client/session.hpp"
#include "server/http/contract/argument_flags.hpp"
#include "server/kinds/sentiment/command/commands.hpp"
#include "server/kinds/sentiment/contract/comparison.hpp"
#include "server/kinds/sentiment/contract/texts.hpp"
#include "server/terminal/argument_options.hpp"
#include "server/terminal/command_context.hpp"
#include "server/terminal/field_flags.hpp"
#include "server/terminal/files/job_file.hpp"
#include "server/terminal/files/records_file.hpp"
#include "server/terminal/follow_job.hpp"
#include "server/terminal/terminal.hpp"

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <cstring>
#include <fstream>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include <CLI/CLI.hpp>

namespace plimsoll::jobs::sentiment {
namespace {

using terminal::CommandContext;
using terminal::need;
using terminal::Refused;

using nlohmann::ordered_json;

// Empty: the models agree, or the text failed.
std::string line_of(std::string_view row) {
    const auto item = ordered_json::parse(row);
    const auto models = item.find("models");
    if (models == item.end() || !models->is_object()) return {};
    auto said = ordered_json::object();
    std::set<std::string> labels;
    for (const auto& [name, score] : models->items()) {
        said[name] = score.at("label");
        labels.insert(score.at("label").get<std::string>());
    }
    if (labels.size() < 2) return {};
    const auto given = item.find("given_label");
    return ordered_json{{"index", item.at("index")},
                        {"custom_id", item.at("custom_id")},
                        {"text", item.at("text")},
                        {"label", given == item.end() ? ordered_json(nullptr) : *given},
                        {"models", std::move(said)}}
               .dump() +
           '\n';
}

// Writes the texts of a comparison on which its models disagree, one JSON line each: index,
// custom_id, text (whole), label (as given, else null) and the label of each model, for people to
// label and train with. Returns their number.
Result<std::int64_t> write_disagreements(client::ApiClient& api, const std::string& job_id,
                                         const std::string& file) {
    std::ofstream out(file, std::ios::binary | std::ios::trunc);
    if (!out) {
        return fail(Errc::invalid_input,
                    "--disagreements: cannot write " + file + ": " + std::strerror(errno) + ".");
    }
    std::int64_t count = 0;
    std::string rest;  // the beginning of a row whose end has not come yet
    const auto take = [&](std::string_view piece) {
        rest.append(piece);
        std::size_t start = 0;
        for (auto end = rest.find('\n'); end != std::string::npos; end = rest.find('\n', start)) {
            const auto line = line_of(std::string_view(rest).substr(start, end - start));
            start = end + 1;
            if (line.empty()) continue;
            out << line;
            ++count;
        }
        rest.erase(0, start);
        return static_cast<bool>(out);
    };
    TRY_DO(api.stream("/v1/jobs/" + job_id + "/results.jsonl", {}, take));
    if (!out.flush())
        return fail(Errc::invalid_input, "--disagreements: cannot write all of " + file + ".");
    return count;
}

struct CompareFlags {
    std::string file;
    terminal::ArgumentOptions<http::ArgumentFlag> args{http::argument_flags(), "SentimentArgs",
                                                       "compare-models"};
    std::vector<std::string> models;
    std::vector<std::string> columns;
    std::vector<std::string> label_names;  // own=positive
    std::string disagreements;             // file; empty: none
};

constexpr terminal::FieldFlag kComparedFields[] = {{"/args/columns/", "--column "}};

// The default model first, then the others that workers have.
json all_models(client::ApiClient& api) {
    const auto answer = need(api.get_json("/v1/models"));
    auto names = json::array({answer.at("default")});
    for (const json& model : answer.at("items")) {
        const json& name = model.at("name");
        if (name != names.front() && names.size() < kMaxCompared) names.push_back(name);
    }
    return names;
}

// Labels are read from the column `label`, if it exists and no other column is named.
json items_of(client::ApiClient& api, const CommandContext& context, const CompareFlags& flags) {
    const auto is_label = [](const std::string& column) { return column.starts_with("label="); };
    auto columns = flags.columns;
    if (std::ranges::none_of(columns, is_label) && !terminal::without_header(columns) &&
        terminal::may_have_column(flags.file, "label")) {
        columns.emplace_back("label=label");
    }
    return need(args_of_file(api, context.terminal, flags.file, columns));
}

json args_of(client::ApiClient& api, const CommandContext& context, const CompareFlags& flags) {
    auto args = items_of(api, context, flags);
    if (flags.models.empty())
        args["models"] = all_models(api);
    else
        for (const auto& name : flags.models) args["models"].push_back(terminal::model_name(name));
    for (const auto& name : flags.label_names) {
        const auto equals = name.rfind('=');
        if (equals == std::string::npos) {
            throw Refused(
                Errc::invalid_input,
                "--label-name must be LABEL=positive, LABEL=neutral or LABEL=negative, not \"" +
                    name + "\".");
        }
        json& meanings = args["label_names"];
        const auto label = name.substr(0, equals);
        if (meanings.contains(label))
            throw Refused(Errc::invalid_input, "--label-name gives " + label + " twice.");
        meanings[label] = name.substr(equals + 1);
    }
    flags.args.put_into(args);
    return args;
}

int compare(const CommandContext& context, const CompareFlags& flags) {
    auto api = need(client::signed_in());
    const auto args = args_of(api, context, flags);
    const auto job =
        need(api.post_json("/v1/jobs",
                           {{"kind", kName}, {"name", "Comparison of models"}, {"args", args}}),
             kComparedFields);
    const auto id = job.at("id").get<std::string>();
    context.terminal.note("Submitted " + id);
    const int code = follow_job(context, id, terminal::Ending::note);
    const auto report = api.get_json("/v1/jobs/" + id + "/report");
    if (!report && code != 0) return code;
    context.terminal.line(
        context.json ? need(report).dump(2)
                     : summary_text(need(report).at("summary"), table_width(context.terminal)));
    if (flags.disagreements.empty()) return code;
    const auto written = need(write_disagreements(api, id, flags.disagreements));
    context.terminal.note("Wrote " + format_count(written) +
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
    flags->args.add_to(*command);
    terminal::add_column_flag(*command, flags->columns);
    command->add_option("--label-name", flags->label_names,
                        "Meaning of a label in the file: 1=positive; repeatable");
    command->add_option(
        "--disagreements", flags->disagreements,
        "Write texts on which the models disagree to this file as JSON lines, for labelling");
    command->callback([flags, &context] {
        if (flags->models.size() == 1 && !flags->disagreements.empty()) {
            throw Refused(Errc::invalid_input,
                          "--disagreements has no effect with one model: name several "
                          "with --models.");
        }
        context.exit_code = compare(context, *flags);
    });
}

}  // namespace plimsoll::jobs::sentiment
