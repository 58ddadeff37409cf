#include "server/terminal/assignment.hpp"

#include <gmock/gmock.h>

namespace plimsoll::terminal {
namespace {

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
    for (const auto* wrong : {"text", "=headline", "text="}) {
        EXPECT_THAT(column_args({wrong}).error().message, HasSubstr("member=COLUMN")) << wrong;
    }
}

}  // namespace
}  // namespace plimsoll::terminal
