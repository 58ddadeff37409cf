#include "server/kinds/training_config/contract/configs/structures/known_keys.hpp"

#include <map>

#include <yaml-cpp/yaml.h>

namespace plimsoll::jobs::training_config {

extern const char* const kKnownKeysText;  // known_keys.yaml, embedded by CMakeLists.txt

namespace {

using Effect = WeighingKeys::Effect;

KnownKeys keys_of(const YAML::Node& library) {
    static const std::map<std::string, Effect> effects = {
        {"decides", Effect::decides}, {"names", Effect::names}, {"belongs", Effect::belongs},
        {"prefers", Effect::prefers}, {"asks", Effect::asks},   {"excludes", Effect::excludes}};
    KnownKeys out;
    for (const auto& names : library["harmless"]) out.harmless += names.Scalar() + " ";
    for (const auto& [name, effect] : effects) {
        for (const YAML::Node& row : library[name]) {
            out.weighing.push_back(
                {row[0].Scalar(), row[1].as<std::string>(""), row[2].as<std::string>(""), effect});
        }
    }
    return out;
}

}  // namespace

const KnownKeys& known_keys(std::string_view library) {
    static const auto all = [] {
        std::map<std::string, KnownKeys, std::less<>> known;
        for (const auto& one : YAML::Load(kKnownKeysText))
            known.emplace(one.first.Scalar(), keys_of(one.second));
        return known;
    }();
    return all.find(library)->second;
}

}  // namespace plimsoll::jobs::training_config
