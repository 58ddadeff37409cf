// Every option of the contract has all its parts: a place in the request, and a default that is the
// request's.
#include "server/kinds/training_config/contract/options.hpp"

#include "server/http/contract/argument_flags.hpp"
#include "server/http/contract/contract_text.hpp"

#include <map>
#include <set>
#include <string>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace plimsoll::jobs::training_config {
namespace {

using nlohmann::json;

// Schemas of the contract's options, by place. Lists of objects and config.json have none.
class Schemas {
  public:
    Schemas() { add("", component("TrainingConfigArgs")); }
    std::map<std::string, json, std::less<>> all;

  private:
    const json& component(const std::string& name) const {
        return document_.at("components").at("schemas").at(name);
    }
    void add(const std::string& place, const json& schema) {
        if (schema.contains("$ref")) {
            const std::string reference = schema["$ref"];
            add(place, component(reference.substr(reference.rfind('/') + 1)));
        } else if (schema.contains("properties")) {
            for (const auto& [name, member] : schema["properties"].items())
                add(place + "/" + name, member);
        } else {
            all.emplace(place, schema);
        }
    }

    json document_ = json::parse(http::contract_json());
};

const auto& schemas() {
    static const Schemas read;
    return read.all;
}

// Read by parsers of their own.
bool has_parser(const std::string& place) {
    static const std::set<std::string> own = {"/gpus", "/custom_gpus", "/stages",
                                              "/training/length_histogram", "/training/framework"};
    return place.starts_with("/model/") || place.starts_with("/correction/") || own.contains(place);
}

Request read(const char* more) {
    json args = {{"model", {{"preset", "bert-base"}}}, {"gpus", {"rtx_4090"}}};
    args.merge_patch(json::parse(more));
    return parse_request(args).value();
}

TEST(TrainingOptions, EachOfTheContractHasAPlaceInTheRequest) {
    for (const auto& [place, schema] : schemas()) {
        if (has_parser(place)) continue;
        const auto* option = option_at(place);
        ASSERT_NE(option, nullptr) << place << " has no row in options.cpp";
        EXPECT_NE(option->field.set, nullptr) << place;
    }
    std::set<std::string_view> seen;
    for (const auto& option : options()) {
        EXPECT_TRUE(schemas().contains(option.pointer)) << option.pointer << " is unknown";
        EXPECT_TRUE(seen.insert(option.pointer).second) << option.pointer << " is there twice";
    }
}

TEST(TrainingOptions, DefaultsOfTheContractAreTheRequests) {
    // With adapters and a cluster, so that their members have their defaults.
    const auto request = read(R"({"training": {"lora": {}}, "cluster": {}, "observed": {}})");
    for (const auto& option : options()) {
        const json& schema = schemas().at(std::string(option.pointer));
        if (option.field.get == nullptr || !schema.contains("default")) continue;
        EXPECT_EQ(option.field.get(request), schema["default"]) << option.pointer;
    }
}

TEST(TrainingOptions, WordsOfTheContractAreKnown) {
    auto request = read(R"({"observed": {}})");
    for (const auto& option : options()) {
        const json words = schemas().at(std::string(option.pointer)).value("enum", json::array());
        for (const json& word : words) {
            if (option.field.get == nullptr) continue;
            option.field.set(request, word);
            EXPECT_EQ(option.field.get(request), word) << option.pointer;
        }
    }
}

TEST(TrainingOptions, PlacesOfTheEngineAreOptions) {
    for (const auto& [place, pointer] :
         {std::pair("/sequence_length", "/training/sequence_length"),
          std::pair("/lora", "/training/lora"),
          std::pair("/lora/modules/3", "/training/lora/modules/3"),
          std::pair("/batch", "/training/batch"), std::pair("/offload", "/cluster/offload"),
          std::pair("/safety_margin", "/safety_margin"), std::pair("/gpus", "/gpus")})
        EXPECT_EQ(pointer_of(place), pointer);
}

TEST(TrainingOptions, FlagsAreUniqueAndExplained) {
    std::set<std::string_view> names;
    for (const auto& flag : http::argument_flags()) {
        if (flag.args != "TrainingConfigArgs") continue;  // other commands have their own
        EXPECT_TRUE(flag.name.starts_with("--")) << flag.name;
        EXPECT_TRUE(names.insert(flag.name).second) << flag.name << " is there twice";
        EXPECT_FALSE(flag.help.empty() || flag.help.ends_with('.')) << flag.help;
    }
    for (const auto* name : {"--cards", "--sharding", "--offload", "--gpu-memory", "--fused-loss"})
        EXPECT_TRUE(names.contains(name)) << name;
}

}  // namespace
}  // namespace plimsoll::jobs::training_config
