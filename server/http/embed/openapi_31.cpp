#include "server/http/embed/openapi_31.hpp"

#include <set>
#include <string>

namespace plimsoll::http {
namespace {

using Json = nlohmann::ordered_json;

const std::string kSchemas = "#/components/schemas/";

std::set<std::string> take_nullable_components(Json& schemas) {
    std::set<std::string> references;
    for (auto& [name, schema] : schemas.items()) {
        if (!schema.value("nullable", false)) continue;
        schema.erase("nullable");
        references.insert(kSchemas + name);
    }
    return references;
}

class Converter {
  public:
    explicit Converter(std::set<std::string> nullable) : nullable_(std::move(nullable)) {}

    void convert(Json& node) const {
        if (node.is_array()) {
            for (auto& element : node) convert(element);
        }
        if (!node.is_object()) return;
        if (const auto reference = node.find("$ref"); reference != node.end()) {
            if (nullable_.contains(*reference)) {
                node = {{"oneOf", {{{"$ref", *reference}}, {{"type", "null"}}}}};
            }
            return;
        }
        if (node.value("nullable", Json(false)) == true && node.contains("type")) {
            node["type"] = {node["type"], "null"};
            node.erase("nullable");
        }
        if (const auto names = node.find("x-property-names"); names != node.end()) {
            node["propertyNames"] = *names;
            node.erase("x-property-names");
        }
        for (auto& [key, value] : node.items()) {
            if (key != "example") convert(value);
        }
    }

  private:
    std::set<std::string> nullable_;
};

}  // namespace

Json as_openapi_31(Json document) {
    document["openapi"] = "3.1.0";
    Converter(take_nullable_components(document["components"]["schemas"])).convert(document);
    return document;
}

}  // namespace plimsoll::http
