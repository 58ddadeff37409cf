#include "server/http/contract/schema.hpp"

#include "server/http/messages/limits.hpp"

#include <gmock/gmock.h>

namespace plimsoll::http {
namespace {

using nlohmann::json;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

// "<pointer> <message>" of every violation.
std::vector<std::string> wrong(const json& schema, const json& value,
                               const json& document = json::object()) {
    SchemaSet set(document);
    std::vector<std::string> texts;
    for (const auto& violation : set.compile(schema, "test").check(value))
        texts.push_back(violation.pointer + " " + violation.message);
    return texts;
}

std::string refused(const json& schema) {
    const json document = json::object();
    SchemaSet set(document);
    try {
        set.compile(schema, "Thing");
    } catch (const std::runtime_error& error) {
        return error.what();
    }
    return {};
}

TEST(Schema, ChecksTimes) {
    const json time = {{"type", "string"}, {"format", "date-time"}};
    EXPECT_THAT(wrong(time, "2026-03-01T12:00:00Z"), IsEmpty());
    EXPECT_THAT(wrong(time, "2026-03-01T12:00:00.25+01:00"), IsEmpty());
    for (const auto* text : {"", "yesterday", "2026-03-01", "2026-13-01T12:00:00Z"})
        EXPECT_THAT(wrong(time, text), ElementsAre(HasSubstr("must be an RFC 3339 time")));
}

TEST(Schema, KnowsTypes) {
    EXPECT_THAT(wrong({{"type", "string"}}, 7), ElementsAre(" must be a string"));
    EXPECT_THAT(wrong({{"type", "object"}}, "x"), ElementsAre(" must be an object"));
    EXPECT_THAT(wrong({{"type", "integer"}}, 1.5), ElementsAre(" must be an integer"));
    EXPECT_THAT(wrong({{"type", "integer"}}, 2.0), IsEmpty());
    EXPECT_THAT(wrong({{"type", "integer"}}, 18446744073709551615u),
                ElementsAre(" must be an integer"));
    EXPECT_THAT(wrong({{"type", "number"}}, 7), IsEmpty());
    EXPECT_THAT(wrong({{"type", "boolean"}}, 0), ElementsAre(" must be a boolean"));
    EXPECT_THAT(wrong({{"type", "string"}}, nullptr), ElementsAre(" must be a string"));
    EXPECT_THAT(wrong({{"type", "string"}, {"nullable", true}}, nullptr), IsEmpty());
    EXPECT_THAT(wrong(json::object(), 7), IsEmpty());
}

TEST(Schema, BoundsNumbers) {
    const json schema = {{"type", "number"}, {"minimum", 0}, {"maximum", 1.5}};
    EXPECT_THAT(wrong(schema, 0), IsEmpty());
    EXPECT_THAT(wrong(schema, 1.5), IsEmpty());
    EXPECT_THAT(wrong(schema, -1), ElementsAre(" must be at least 0"));
    EXPECT_THAT(wrong(schema, 2), ElementsAre(" must be at most 1.5"));
    const json open = {{"minimum", 0}, {"exclusiveMinimum", true}};
    EXPECT_THAT(wrong(open, 0), ElementsAre(" must be more than 0"));
}

TEST(Schema, CountsCodePoints) {
    const json schema = {{"type", "string"}, {"minLength", 2}, {"maxLength", 3}};
    EXPECT_THAT(wrong(schema, "€€€"), IsEmpty());
    EXPECT_THAT(wrong(schema, "€€€€"), ElementsAre(" must have at most 3 characters"));
    EXPECT_THAT(wrong(schema, "€"), ElementsAre(" must have at least 2 characters"));
}

TEST(Schema, CountsInTheSingularAndInThePlural) {
    EXPECT_THAT(wrong({{"type", "array"}, {"minItems", 1}}, json::array()),
                ElementsAre(" must have at least 1 item"));
    EXPECT_THAT(wrong({{"type", "array"}, {"minItems", 2}}, json::array()),
                ElementsAre(" must have at least 2 items"));
    EXPECT_THAT(wrong({{"type", "string"}, {"maxLength", 1}}, "ab"),
                ElementsAre(" must have at most 1 character"));
}

TEST(Schema, NamesPlacesAsJsonPointers) {
    const json schema = {{"type", "object"},
                         {"additionalProperties", false},
                         {"required", {"a"}},
                         {"properties",
                          {{"a", {{"type", "array"}, {"items", {{"type", "string"}}}}},
                           {"b/~", {{"type", "string"}}}}}};
    EXPECT_THAT(wrong(schema, {{"a", {"x", 1, 2}}, {"b/~", 1}, {"c", 1}}),
                ElementsAre("/a/1 must be a string", "/a/2 must be a string",
                            "/b~1~0 must be a string", "/c is unknown; known members: a, b/~"));
    EXPECT_THAT(wrong(schema, json::object()), ElementsAre("/a is required"));
}

TEST(Schema, ChecksMaps) {
    const json schema = {{"type", "object"},
                         {"maxProperties", 2},
                         {"x-property-names", {{"type", "string"}, {"maxLength", 2}}},
                         {"additionalProperties", {{"type", "string"}}}};
    EXPECT_THAT(wrong(schema, {{"ab", "x"}}), IsEmpty());
    EXPECT_THAT(wrong(schema, {{"abc", "x"}}), ElementsAre("/abc must have at most 2 characters"));
    EXPECT_THAT(wrong(schema, {{"a", 1}}), ElementsAre("/a must be a string"));
    EXPECT_THAT(wrong(schema, {{"a", "1"}, {"b", "1"}, {"c", "1"}}),
                ElementsAre(" must have at most 2 members"));
}

TEST(Schema, ChoosesTheVariantByItsDiscriminator) {
    const json document = json::parse(R"({"s": {
        "One": {"type": "object", "required": ["x"], "properties": {"x": {"type": "string"}}},
        "Two": {"type": "object", "required": ["y"]}}})");
    const json schema = json::parse(R"({"oneOf": [{"$ref": "#/s/One"}, {"$ref": "#/s/Two"}],
        "discriminator": {"propertyName": "kind",
                          "mapping": {"one": "#/s/One", "two": "#/s/Two"}}})");
    EXPECT_THAT(wrong(schema, {{"kind", "one"}, {"x", 1}}, document),
                ElementsAre("/x must be a string"));
    EXPECT_THAT(wrong(schema, {{"kind", "two"}}, document), ElementsAre("/y is required"));
    EXPECT_THAT(wrong(schema, {{"kind", "three"}}, document),
                ElementsAre("/kind must be one of: one, two"));
    EXPECT_THAT(wrong(schema, {{"x", 1}}, document),
                ElementsAre("/kind is required; it must be one of: one, two"));
}

TEST(Schema, MayContainItself) {
    const json document = json::parse(
        R"({"s": {"Tree": {"type": "object", "properties": {"next": {"$ref": "#/s/Tree"}}}}})");
    EXPECT_THAT(wrong({{"$ref", "#/s/Tree"}}, {{"next", {{"next", 1}}}}, document),
                ElementsAre("/next/next must be an object"));
}

TEST(Schema, StopsAtManyErrors) {
    const json schema = {{"type", "array"}, {"items", {{"type", "string"}}}};
    EXPECT_EQ(wrong(schema, json(std::vector<int>(100000, 1))).size(), limits::kFieldErrors);
}

TEST(Schema, TriesPatternsOnShortTextsOnly) {
    const json schema = {{"type", "string"}, {"maxLength", 10}, {"pattern", "^a*$"}};
    EXPECT_THAT(wrong(schema, "aaa"), IsEmpty());
    EXPECT_THAT(wrong(schema, "ab"), ElementsAre(" must match ^a*$"));
    const json worded = {{"maxLength", 10}, {"pattern", "^a*$"}, {"x-message", "must be all a"}};
    EXPECT_THAT(wrong(worded, "ab"), ElementsAre(" must be all a"));
    EXPECT_THAT(wrong(schema, std::string(10000000, 'a')),
                ElementsAre(" must have at most 10 characters"));
}

TEST(Schema, RefusesTextThatTheDatabaseCannotStore) {
    const std::string text("a\0b", 3);
    const json open = {{"type", "object"}, {"additionalProperties", true}};
    EXPECT_THAT(wrong({{"type", "string"}}, text), ElementsAre(" must not contain U+0000"));
    EXPECT_THAT(wrong(open, {{"a", {1, {"x", text}}}}),
                ElementsAre("/a/1/1 must not contain U+0000"));
    EXPECT_THAT(wrong(json::object(), {{"b", text}}), ElementsAre("/b must not contain U+0000"));
    EXPECT_THAT(wrong({{"type", "string"}, {"x-raw-text", true}}, text), IsEmpty());
}

TEST(Schema, RefusesUnknownKeywords) {
    EXPECT_THAT(refused({{"type", "string"}, {"pattern", "a"}}),
                HasSubstr("Thing: a pattern needs"));
    EXPECT_THAT(refused({{"multipleOf", 2}}), HasSubstr("multipleOf is not checked"));
    EXPECT_THAT(refused({{"oneOf", {{{"type", "string"}}}}}), HasSubstr("needs a discriminator"));
    EXPECT_THAT(refused({{"$ref", "#/nowhere"}}), HasSubstr("nothing at #/nowhere"));
}

}  // namespace
}  // namespace plimsoll::http
