#include "server/terminal/terminal.hpp"

#include "server/terminal/assignment.hpp"
#include "server/terminal/command_context.hpp"
#include "server/terminal/field_flags.hpp"
#include "server/terminal/files/records_file.hpp"
#include "server/terminal/files/unused_members.hpp"
#include "server/terminal/flag_values.hpp"
#include "server/terminal/report_text.hpp"

#include <filesystem>
#include <fstream>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>
#include <stdlib.h>

namespace plimsoll::terminal {
namespace {

TEST(Harmless, TextsOfOthersDoNotCommandTheTerminal) {
    EXPECT_EQ(harmless("a\tb\n\033[1mbold\033[0m größer"), "a\tb\n\033[1mbold\033[0m größer");
    EXPECT_EQ(harmless("\033]0;title\a"), "\uFFFD]0;title\uFFFD");
    EXPECT_EQ(harmless("\u009b2Jx\r"), "\uFFFD2Jx\uFFFD");
    EXPECT_EQ(harmless("\033[2J\033[31"), "\uFFFD[2J\uFFFD[31");
    EXPECT_EQ(harmless("a\u202egnp\u2066.\u2028\u00a0"), "a\uFFFDgnp\uFFFD.\uFFFD\u00a0");
}

TEST(FormatDuration, ChoosesTheUnitByLength) {
    EXPECT_EQ(format_duration(std::chrono::duration<double>(0.84)), "0.8 s");
    EXPECT_EQ(format_duration(std::chrono::duration<double>(42)), "42 s");
    EXPECT_EQ(format_duration(std::chrono::duration<double>(184)), "3 min 4 s");
    EXPECT_EQ(format_duration(std::chrono::duration<double>(7260)), "2 h 1 min");
}

TEST(FormatTable, AlignsColumnsByCharactersNotBytes) {
    EXPECT_EQ(format_table(Terminal(), {{"A", "B"}, {"üü", "x"}, {"longer", "y"}}),
              "A       B\nüü      x\nlonger  y");
}

TEST(ReportText, ShowsMembersTablesAndBarsOfAnyKind) {
    const auto report = nlohmann::json::parse(
        R"({"kind":"any","summary":{"model":"m","parts":{"a":1,"b":2},
            "bins":[{"from":-1.0,"to":0.0,"count":1},{"from":0.0,"to":1.0,"count":2}],
            "lengths":[{"from":0,"to":5,"count":1},{"from":5,"to":10,"count":2}],
            "best":[{"text":"one","value":0.5}]}})");
    const auto text = report_text(Terminal(), report);
    EXPECT_NE(text.find("model: m"), std::string::npos);
    EXPECT_NE(text.find("parts:  a 1  b 2"), std::string::npos);
    EXPECT_NE(text.find("-1.00 …  0.00  ████████████████████ 1\n"), std::string::npos) << text;
    EXPECT_NE(text.find("     0 …     5  ████████████████████ 1\n"), std::string::npos) << text;
    EXPECT_NE(text.find("one"), std::string::npos);
}

using nlohmann::json;
using ::testing::HasSubstr;

TEST(Assign, AcceptsNestedMembers) {
    json args = {{"columns", {{"text", "a"}}}, {"kept", 1}};
    for (const auto* setting : {"columns.text=headline", "training.batch=8", "model=vader",
                                "empty=", "list=[1, 2]", "formula=a=b"}) {
        EXPECT_TRUE(assign(args, setting)) << setting;
    }
    EXPECT_EQ(args, (json{{"columns", {{"text", "headline"}}},
                          {"kept", 1},
                          {"training", {{"batch", 8}}},
                          {"model", "vader"},
                          {"empty", ""},
                          {"list", {1, 2}},
                          {"formula", "a=b"}}));
}

TEST(Assign, RefusesInvalidPaths) {
    json args = {{"model", "vader"}};
    EXPECT_THAT(assign(args, "model").error().message, HasSubstr("outer.inner=value"));
    EXPECT_THAT(assign(args, "=1").error().message, HasSubstr("outer.inner=value"));
    EXPECT_THAT(assign(args, "model.name=1").error().message,
                HasSubstr("the path leads into a value"));
}

TEST(Assign, RefusesTwoOfTheSameMember) {
    json args = {{"model", "vader"}};
    EXPECT_TRUE(assign_all(args, {"model=finbert", "form=fp32"}));
    EXPECT_EQ(args.at("model"), "finbert");
    EXPECT_THAT(assign_all(args, {"a.b=1", "a.b=2"}).error().message, HasSubstr("gives a.b twice"));
    EXPECT_THAT(column_args({"text=a", "text=b"}).error().message,
                HasSubstr("already has a column"));
    EXPECT_THAT(column_args({"keep=a", "keep=a"}).error().message,
                HasSubstr("--keep gives a twice"));
    EXPECT_TRUE(column_args({"keep=a", "keep=b", "text=c"}));
}

TEST(ColumnArgs, PairMembersWithColumns) {
    EXPECT_EQ(*column_args({"text=headline", "custom_id=id"}),
              (json{{"text", "headline"}, {"custom_id", "id"}}));
    for (const auto* wrong : {"text", "=headline", "text="})
        EXPECT_THAT(column_args({wrong}).error().message, HasSubstr("member=COLUMN")) << wrong;
}

TEST(Refuse, ReturnsTheExitCodeOfTheError) {
    const CommandContext context;
    EXPECT_EQ(refuse(context, {Errc::invalid_input, "m", ""}), 2);
    EXPECT_EQ(refuse(context, {Errc::not_found, "m", ""}), 2);
    EXPECT_EQ(refuse(context, {Errc::unauthenticated, "m", ""}), 3);
    EXPECT_EQ(refuse(context, {Errc::forbidden, "m", ""}), 3);
    EXPECT_EQ(refuse(context, {Errc::unavailable, "m", ""}), 4);
    EXPECT_EQ(refuse(context, {Errc::timeout, "m", ""}), 4);
    EXPECT_EQ(refuse(context, {Errc::unavailable, "m", ""}, ExitStatus::failed), 1);
}

TEST(Refuse, PrintsTheMessageAndItsPlaceToStandardError) {
    testing::internal::CaptureStdout();
    testing::internal::CaptureStderr();
    refuse(CommandContext(), {Errc::invalid_input, "It is wrong.", "--name"});
    refuse(CommandContext(), {Errc::invalid_input, "It is wrong.", ""});
    EXPECT_EQ(testing::internal::GetCapturedStderr(),
              "Error: It is wrong. (--name)\nError: It is wrong.\n");
    EXPECT_EQ(testing::internal::GetCapturedStdout(), "");
}

TEST(Refuse, PrintsJsonForPrograms) {
    CommandContext context;
    context.json = true;
    testing::internal::CaptureStderr();
    refuse(context, {Errc::invalid_input, "It is wrong.", "--name"});
    EXPECT_EQ(testing::internal::GetCapturedStderr(),
              "{\"error\":{\"code\":\"invalid_input\",\"message\":\"It is wrong.\",\"where\":"
              "\"--name\"}}\n");
}

std::string in_inputs_of(const std::string& message, const std::vector<std::string>& inputs) {
    return in_inputs({Errc::invalid_input, message, {}}, inputs).message;
}

TEST(InFlags, NamesTheFirstFlagThatFits) {
    constexpr FieldFlag kFlags[] = {{"/args/columns/keep", "--keep"}, {"/args/", "--set "}};
    const auto named = [&](const char* message) {
        return in_flags({Errc::invalid_input, message, {}}, kFlags).message;
    };
    EXPECT_EQ(named("/args/columns/keep: is wrong"), "--keep: is wrong");
    EXPECT_EQ(named("Invalid in 2 places:\n  /args/a/b: is wrong\n  /name: is wrong"),
              "Invalid in 2 places:\n  --set a.b: is wrong\n  /name: is wrong");
    EXPECT_EQ(named("It is wrong"), "It is wrong");
    constexpr FieldFlag kFile[] = {{"/args/", "a/b.json: "}};
    EXPECT_EQ(in_flags({Errc::invalid_input, "/args/x/y: is wrong", {}}, kFile).message,
              "a/b.json: x.y: is wrong");
}

TEST(InInputs, NamesTheInputWithTheWordsOfThePlace) {
    const std::vector<std::string> inputs = {
        "--queued-jobs", "--quota-seconds", "--quota-period", "--scope",
        "--job",         "--expires",       "--by",           "class"};
    EXPECT_EQ(in_inputs_of("/queued_jobs: is wrong", inputs), "--queued-jobs: is wrong");
    EXPECT_EQ(in_inputs_of("/quota/seconds: is wrong", inputs), "--quota-seconds: is wrong");
    EXPECT_EQ(in_inputs_of("/scopes/0: is wrong", inputs), "--scope: is wrong");
    EXPECT_EQ(in_inputs_of("/args/queued_jobs: is wrong", inputs), "--queued-jobs: is wrong");
    EXPECT_EQ(in_inputs_of("/expires_at: is wrong", inputs), "--expires: is wrong");
    EXPECT_EQ(in_inputs_of("device_class: is wrong", inputs), "class: is wrong");
    EXPECT_EQ(in_inputs_of("group_by: is wrong", inputs), "--by: is wrong");
    EXPECT_EQ(in_inputs_of("/job/args/model: is wrong", inputs), "--job (args.model): is wrong");
}

TEST(InInputs, LeavesWhatIsNoPlaceOrNoInput) {
    const std::vector<std::string> inputs = {"--name"};
    EXPECT_EQ(in_inputs_of("/bytes/1/end: is wrong", inputs), "bytes (1.end): is wrong");
    EXPECT_EQ(in_inputs_of("--set name: is wrong", inputs), "--set name: is wrong");
    EXPECT_EQ(in_inputs_of("Its name: wrong", inputs), "Its name: wrong");
    EXPECT_EQ(in_inputs_of(": wrong", inputs), ": wrong");
}

TEST(NoHeader, IsImpliedByNumberedColumns) {
    EXPECT_TRUE(without_header({"custom_id=id", "text=#2"}));
    for (const auto* column : {"text=#", "text=#a", "text=2", "#2", "text=# 2"})
        EXPECT_FALSE(without_header({column})) << column;
}

TEST(NoHeader, NumbersTheColumnsOfTheFirstLine) {
    EXPECT_EQ(header_for("7;fine, really;x\n8;\"a,b,c,d\";y\n"), "#1;#2;#3\n");
    EXPECT_EQ(header_for("7;good, very good\n8;bad\n"), "#1;#2\n");
    EXPECT_EQ(header_for("\n\n"), "#1\n");
    EXPECT_EQ(header_for("7\t\"a;b;c\"\n"), "#1\t#2\n");
    EXPECT_EQ(header_for("\"two\nlines\",1"), "#1,#2\n");
    EXPECT_EQ(header_for("only"), "#1\n");
}

TEST(Priority, IsAWordOrANumber) {
    EXPECT_EQ(parse_priority("low").value(), -5);
    EXPECT_EQ(parse_priority("normal").value(), 0);
    EXPECT_EQ(parse_priority("highest").value(), 10);
    EXPECT_EQ(parse_priority("-10").value(), -10);
    for (const auto* wrong : {"", "urgent", "11", "-11", "1.5", "5 "})
        EXPECT_FALSE(parse_priority(wrong).has_value()) << wrong;
}

class RecordsFile : public testing::Test {
  protected:
    RecordsFile() {
        std::string name = testing::TempDir() + "records-XXXXXX";
        folder_ = mkdtemp(name.data());
    }
    ~RecordsFile() override { std::filesystem::remove_all(folder_); }

    bool has_label(const std::string& name, const std::string& content) {
        const auto path = folder_ / name;
        std::ofstream(path) << content;
        return may_have_column(path.string(), "label");
    }

    std::filesystem::path folder_;
};

TEST_F(RecordsFile, ACsvFileHasTheColumnsOfItsHeader) {
    EXPECT_TRUE(has_label("a.csv", "text,label\ngood,1\n"));
    EXPECT_TRUE(has_label("a.csv", "\xEF\xBB\xBF\"label\";text"));
    EXPECT_FALSE(has_label("a.csv", "text,labels\nlabel,label\n"));
    EXPECT_TRUE(has_label("a.csv", std::string(9000, 'x') + ",label\n"));
    EXPECT_FALSE(has_label("a.csv", ""));
    EXPECT_FALSE(may_have_column((folder_ / "absent.csv").string(), "label"));
}

TEST_F(RecordsFile, LinesOfJsonMayHaveAnyMember) {
    EXPECT_TRUE(has_label("a.jsonl", R"({"text": "good"})"));
    EXPECT_TRUE(may_have_column("-", "label"));
    EXPECT_FALSE(has_label("a.json", R"({"label": 1})")) << "it holds arguments";
}

std::string found(const UnusedMembers& unused) {
    std::string text;
    for (const auto& [name, line] : unused.found())
        text += std::to_string(line) + " " + name + "; ";
    return text;
}

TEST(UnusedMembers, NamesEachOnceWithItsFirstLineForAnyPieces) {
    const std::string lines =
        "{\"text\":\"a\",\"date\":1}\n"
        "\"a string\"\n"
        "\n"
        "not JSON\n"
        "{\"text\":\"b\",\"date\":2,\"custom_ID\":\"x\"}";
    for (const std::size_t size : {1UL, 7UL, lines.size()}) {
        UnusedMembers unused({"text", "custom_id"});
        for (std::size_t at = 0; at < lines.size(); at += size)
            unused.feed(std::string_view(lines).substr(at, size));
        unused.finish();
        EXPECT_EQ(found(unused), "1 date; 5 custom_ID; ") << size;
    }
}

TEST(UnusedMembers, KeepsALimitedNumber) {
    UnusedMembers unused({});
    for (int i = 0; i < 100; ++i) unused.feed("{\"m" + std::to_string(i) + "\":0}\n");
    unused.finish();
    EXPECT_EQ(unused.found().size(), 20U);
}

}  // namespace

}  // namespace plimsoll::terminal
