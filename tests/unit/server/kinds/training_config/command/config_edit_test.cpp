// Recommended values put into configurations: only the values' own characters may change.
#include "server/kinds/training_config/contract/configs/config_edit.hpp"

#include <gmock/gmock.h>
#include <nlohmann/json.hpp>

namespace plimsoll::jobs::training_config {
namespace {

using ::testing::HasSubstr;

Setting at(std::vector<std::string> path, std::string value, bool adds = false,
           bool is_text = false) {
    return {std::move(path), std::move(value), is_text, adds};
}

std::string edited(std::string_view text, const std::vector<Setting>& settings) {
    const auto edit = edit_config(text, settings);
    return edit ? edit->text : edit.error().message;
}

TEST(EditConfig, ChangesOnlyTheCharactersOfTheValues) {
    EXPECT_EQ(
        edited(R"(# Größe der Charge – bitte lassen
data_loader:
  batch_size: 4        # fits the old card
  num_workers: "0"
validation: {batch_size: 512}
trainer: {accumulate_grad_batches: 16, precision: 16-mixed}
note: |
  batch_size: 4
)",
               {at({"data_loader", "batch_size"}, "40"), at({"data_loader", "num_workers"}, "6"),
                at({"trainer", "accumulate_grad_batches"}, "6")}),
        R"(# Größe der Charge – bitte lassen
data_loader:
  batch_size: 40        # fits the old card
  num_workers: "6"
validation: {batch_size: 512}
trainer: {accumulate_grad_batches: 6, precision: 16-mixed}
note: |
  batch_size: 4
)");
}

TEST(EditConfig, AddsWhatIsMissingWhereItsMappingIs) {
    EXPECT_EQ(
        edited("# head\ntrainer:\n    precision: 32\n", {at({"trainer", "steps"}, "8", true)}),
        "# head\ntrainer:\n    steps: 8\n    precision: 32\n");
    EXPECT_EQ(edited("a: {b: 1}\n", {at({"a", "c"}, "x", true, true)}), "a: {c: x, b: 1}\n");
    EXPECT_EQ(edited("a: 1\n", {at({"b"}, "2", true)}), "b: 2\na: 1\n");
    EXPECT_EQ(edited("a: 1\n", {at({"b", "c"}, "2", true)}), "a: 1\n") << "no mapping b";
    EXPECT_EQ(edited("a: 1\n", {at({"b"}, "2")}), "a: 1\n") << "not asked for";
}

TEST(EditConfig, WritesJsonAsJson) {
    const std::string text = "{\n  \"a\": {\"b\": 4, \"mode\": \"no\"},\n  \"c\": true\n}\n";
    const auto now = edited(text, {at({"a", "b"}, "8"), at({"a", "mode"}, "bf16", false, true),
                                   at({"d"}, "adamw", true, true), at({"c"}, "false")});
    EXPECT_EQ(
        now,
        "{\n  \"d\": \"adamw\",\n  \"a\": {\"b\": 8, \"mode\": \"bf16\"},\n  \"c\": false\n}\n");
    EXPECT_TRUE(nlohmann::json::accept(now));
    EXPECT_EQ(edited(R"({"precision": 32})", {at({"precision"}, "bf16-mixed", false, true)}),
              R"({"precision": "bf16-mixed"})");
}

TEST(EditConfig, ChangesJsonBesideItsComments) {
    EXPECT_EQ(
        edited("{\n  // größer: \"b\": 1,\n  \"b\": 4, /* of a\n card */ \"s\": \"//\" // end\n}\n",
               {at({"b"}, "8"), at({"c"}, "2", true), at({"s"}, "x", false, true)}),
        "{\n  // größer: \"b\": 1,\n  \"c\": 2,\n  \"b\": 8, /* of a\n card */ \"s\": \"x\" // "
        "end\n}\n");
}

TEST(EditConfig, LeavesEqualValues) {
    const std::string text = "lr: 3e-5\nbf16: True\nfp16: 'false'\nbatch: 8.0\r\n";
    const auto edit = edit_config(text, {at({"lr"}, "0.00003"), at({"bf16"}, "true"),
                                         at({"fp16"}, "false"), at({"batch"}, "8")});
    EXPECT_EQ(edit->text, text);
    EXPECT_TRUE(edit->changes.empty());
    EXPECT_TRUE(edit->left.empty());
}

TEST(EditConfig, ChangesValuesWithAnAnchorATagOrAByteOrderMark) {
    EXPECT_EQ(edited("\xEF\xBB\xBF"
                     "a: &size 4\nb: *size\n",
                     {at({"a"}, "8")}),
              "\xEF\xBB\xBF"
              "a: &size 8\nb: *size\n");
    EXPECT_EQ(edited("a: !!int 4\n", {at({"a"}, "8")}), "a: !!int 8\n");
    const auto edit = edit_config("a: &size 4\nb: *size\nc: &other 4\nd: 1\ne: *size\n",
                                  {at({"a"}, "8"), at({"c"}, "8")});
    EXPECT_EQ(edit->changes[0].followers, (std::vector{2, 5}));
    EXPECT_TRUE(edit->changes[1].followers.empty());
}

TEST(EditConfig, FillsAnExplicitNull) {
    EXPECT_EQ(
        edited("a: null  # none\nb: ''\nc: ~\nd: \"\"\n",
               {at({"a"}, "1"), at({"b"}, "true"), at({"c"}, "x", false, true), at({"d"}, "2")}),
        "a: 1  # none\nb: true\nc: x\nd: 2\n");
    EXPECT_EQ(edited(R"({"a": null, "b": ""})", {at({"a"}, "1"), at({"b"}, "x", false, true)}),
              R"({"a": 1, "b": "x"})");
}

TEST(EditConfig, QuotesATextThatYamlWouldReadAsAnotherType) {
    EXPECT_EQ(edited("mixed: fp16\n", {at({"mixed"}, "no", false, true)}), "mixed: 'no'\n");
    EXPECT_EQ(edited("p: fp16\n", {at({"p"}, "32", false, true)}), "p: '32'\n");
    EXPECT_EQ(edited("p: 1\n", {at({"p"}, "2")}), "p: 2\n");
}

TEST(EditConfig, NamesValuesItDoesNotChange) {
    const auto why = [](std::string_view text, std::vector<std::string> path) {
        const auto edit = edit_config(text, {at(std::move(path), "8")});
        EXPECT_EQ(edit->text, text);
        return edit->left.empty() ? "" : edit->left.front().why;
    };
    EXPECT_THAT(why("a: ${env}\n", {"a"}), HasSubstr("interpolation"));
    EXPECT_THAT(why("a: auto\n", {"a"}), HasSubstr("auto"));
    EXPECT_THAT(why("a:\n", {"a"}), HasSubstr("not a single value"));
    EXPECT_THAT(why("a:\nnull: 1\n", {"a"}), HasSubstr("not a single value"));
    EXPECT_THAT(why("a: [1]\n", {"a"}), HasSubstr("not a single value"));
    EXPECT_THAT(why("x: &it 4\na: *it\n", {"a"}), HasSubstr("reached through an alias"));
    EXPECT_THAT(why("a: &it\n  b: 4\nx: *it\n", {"a", "b"}),
                HasSubstr("repeats the block that contains it"));
    EXPECT_THAT(why("x: &it\n  b: 4\na: *it\n", {"a", "b"}),
                HasSubstr("repeats the block that contains it"));
    EXPECT_THAT(why("a: 1\n", {"b"}), HasSubstr("not in the file"));
}

TEST(EditConfig, RefusesFilesThatAreNotConfigurations) {
    EXPECT_THAT(edited("a: [1, 2", {}), HasSubstr("neither YAML nor JSON"));
    EXPECT_THAT(edited("- a\n- b\n", {}), HasSubstr("a mapping"));
    EXPECT_THAT(edited("a: 1\n---\nb: 2\n", {}), HasSubstr("several documents"));
    EXPECT_THAT(edited("", {}), HasSubstr("a mapping"));
    EXPECT_THAT(edited("a:\n\t- b\n", {}), HasSubstr("Line 2 is indented with a tab"));
}

}  // namespace
}  // namespace plimsoll::jobs::training_config
