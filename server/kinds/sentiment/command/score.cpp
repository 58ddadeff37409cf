// `plimsoll score`: a few texts at once.
#include "engine/base/json.hpp"
#include "server/client/session.hpp"
#include "server/http/contract/argument_flags.hpp"
#include "server/kinds/sentiment/command/commands.hpp"
#include "server/terminal/argument_options.hpp"
#include "server/terminal/command_context.hpp"
#include "server/terminal/files/input_file.hpp"
#include "server/terminal/list.hpp"

#include <algorithm>
#include <filesystem>
#include <memory>
#include <string>
#include <system_error>
#include <vector>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

namespace plimsoll::jobs::sentiment {
namespace {

using terminal::CommandContext;
using terminal::ExitStatus;
using terminal::need;
using terminal::Refused;
using terminal::text_of;

constexpr std::size_t kMaxTexts = 64;  // of one call, as the contract has it

struct ScoreFlags {
    terminal::ArgumentOptions<http::ArgumentFlag> args{http::argument_flags(), "SentimentArgs",
                                                       "score"};
    std::vector<std::string> texts;
    std::string source;
    std::string time;
    int timeout_seconds = 10;
    bool keep = false;
};

std::vector<std::string> texts_of(const ScoreFlags& flags) {
    if (flags.texts != std::vector<std::string>{"-"}) {
        std::error_code ignored;
        if (const auto& first = flags.texts.front();
            flags.texts.size() == 1 && std::filesystem::is_regular_file(first, ignored))
            throw Refused(Errc::invalid_input,
                          first + " is a file: `plimsoll submit sentiment " + first +
                              " --watch` scores its rows, `plimsoll score - < " + first +
                              "` each of its lines.");
        return flags.texts;
    }
    const auto input = need(terminal::read_text("-"));
    std::vector<std::string> lines;
    for (std::size_t at = 0; at < input.size();) {
        const auto end = std::min(input.find('\n', at), input.size());
        if (end > at) lines.push_back(input.substr(at, end - at));
        at = end + 1;
    }
    return lines;
}

json body_of(const ScoreFlags& flags) {
    const auto texts = texts_of(flags);
    if (texts.empty() || texts.size() > kMaxTexts) {
        throw Refused(
            Errc::invalid_input,
            fmt::format("Give 1 to {} texts, not {}. For more, use `plimsoll submit sentiment`.",
                        kMaxTexts, texts.size()));
    }
    json body{{"timeout_seconds", flags.timeout_seconds}, {"keep", flags.keep}};
    flags.args.put_into(body);
    if (flags.source.empty() && flags.time.empty()) {
        body["texts"] = texts;
        return body;
    }
    for (const auto& text : texts) {
        json item{{"text", text}};
        if (!flags.source.empty()) item["source"] = flags.source;
        if (!flags.time.empty()) item["time"] = flags.time;
        body["items"].push_back(std::move(item));
    }
    return body;
}

void show(const CommandContext& context, const json& answer) {
    const auto by_all = text_of(answer, "model");
    std::vector<std::vector<std::string>> rows = {{"LABEL", "COMPOUND", "MODEL", "TEXT"}};
    for (const json& item : answer.at("items")) {
        const auto label = text_of(item, "label");
        if (label.empty()) {
            rows.push_back({"failed", "", "", text_of(item, "error")});
            continue;
        }
        rows.push_back({label, fmt::format("{:+.3f}", item.at("compound").get<double>()),
                        by_all.empty() ? text_of(item, "model") : by_all, text_of(item, "text")});
    }
    context.terminal.line(format_table(context.terminal, rows));
    if (const json& goal = answer.at("goal"); !goal.is_null())
        context.terminal.note(text_of(goal, "reason"));
    if (const auto job = text_of(answer, "job_id"); !job.empty())
        context.terminal.note("Kept as " + job);
}

ExitStatus status_of(const json& items) {
    std::size_t failed = 0;
    for (const json& item : items) failed += item.at("error").is_null() ? 0 : 1;
    if (failed == 0) return ExitStatus::done;
    return failed == items.size() ? ExitStatus::failed : ExitStatus::partly;
}

int score(const CommandContext& context, const ScoreFlags& flags) {
    const auto body = body_of(flags);
    auto api = need(client::signed_in());
    const auto answer = need(api.post_json("/v1/score", body));
    if (context.json)
        context.terminal.line(answer.dump(2));
    else
        show(context, answer);
    return static_cast<int>(status_of(answer.at("items")));
}

}  // namespace

void add_score_command(CLI::App& app, CommandContext& context) {
    const auto flags = std::make_shared<ScoreFlags>();
    auto* command = app.add_subcommand("score", "Score up to 64 texts at once");
    command
        ->add_option("texts", flags->texts,
                     "Texts, such as \"Profit rose by 40 percent.\"; - reads one text per line "
                     "from standard input")
        ->required();
    flags->args.add_to(*command);
    auto* model = command->get_option("--model");
    auto* policy = command->get_option("--policy")->excludes(model);
    command->get_option("--goal")->excludes(model)->excludes(policy);
    command
        ->add_option("--source", flags->source,
                     "With --policy: source of the texts, for example businesswire")
        ->needs(policy);
    command
        ->add_option("--time", flags->time,
                     "With --policy: time of the texts, for example 2026-03-02T15:00:00Z")
        ->needs(policy);
    command->add_flag("--keep", flags->keep, "Keep the job, its texts and its scores");
    command->add_option("--timeout", flags->timeout_seconds, "Give up after this many seconds")
        ->check(CLI::Range(1, 60))
        ->capture_default_str();
    command->callback([flags, &context] { context.exit_code = score(context, *flags); });
}

}  // namespace plimsoll::jobs::sentiment
