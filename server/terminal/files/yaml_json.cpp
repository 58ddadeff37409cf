#include "server/terminal/files/yaml_json.hpp"

#include "engine/base/json.hpp"

#include <yaml-cpp/yaml.h>

namespace plimsoll::terminal {
namespace {

json converted(const YAML::Node& node) {
    if (node.IsMap()) {
        json object = json::object();
        for (const auto& member : node)
            object[member.first.as<std::string>()] = converted(member.second);
        return object;
    }
    if (node.IsSequence()) {
        json array = json::array();
        for (const auto& item : node) array.push_back(converted(item));
        return array;
    }
    if (!node.IsScalar()) return nullptr;
    // "!" is the tag of quoted scalars, which are text whatever they look like.
    const std::string& text = node.Scalar();
    json value = node.Tag() == "!" ? json(text) : json::parse(text, nullptr, false);
    return value.is_discarded() ? json(text) : value;
}

}  // namespace

Result<json> read_yaml(const std::string& file) {
    try {
        return converted(YAML::LoadFile(file));
    } catch (const YAML::Exception& error) {
        return fail(Errc::invalid_input, std::string("The file is not YAML: ") + error.what(),
                    file);
    }
}

}  // namespace plimsoll::terminal
