// embed_contract openapi.yaml out.cpp openapi-3.1.json: writes a source file that holds the
// contract as it stands, as JSON and as JSON of OpenAPI 3.1, and the command line's flags for
// arguments, so that the server needs no YAML parser and no file beside it; and the last as a file,
// for the clients that are built with it.
#include <cstdlib>
#include <fstream>
#include <iostream>
#include <set>
#include <sstream>
#include <string>

#include <nlohmann/json.hpp>
#include <yaml-cpp/yaml.h>

namespace {

using Json = nlohmann::ordered_json;  // the published document keeps the order of its source

// A plain scalar as YAML's core schema reads it; a quoted one ("!") is always text.
Json scalar(const YAML::Node& node) {
    const std::string& text = node.Scalar();
    if (node.Tag() == "!") return text;
    if (text == "null" || text == "~" || text.empty()) return nullptr;
    if (text == "true") return true;
    if (text == "false") return false;
    const bool numeric = text.find_first_not_of("+-.0123456789eE") == std::string::npos &&
                         text.find_first_of("0123456789") != std::string::npos;
    if (!numeric) return text;
    char* end = nullptr;
    if (text.find_first_of(".eE") == std::string::npos) {
        const long long whole = std::strtoll(text.c_str(), &end, 10);
        if (*end == '\0') return whole;
    }
    const double real = std::strtod(text.c_str(), &end);
    if (*end == '\0') return real;
    return text;  // 3.0.3, 2025-03-04
}

Json convert(const YAML::Node& node) {
    switch (node.Type()) {
        case YAML::NodeType::Map: {
            Json object = Json::object();
            for (const auto& entry : node) object[entry.first.Scalar()] = convert(entry.second);
            return object;
        }
        case YAML::NodeType::Sequence: {
            Json array = Json::array();
            for (const auto& element : node) array.push_back(convert(element));
            return array;
        }
        case YAML::NodeType::Scalar: return scalar(node);
        default: return nullptr;
    }
}

// As bytes, since string literals have a length limit and delimiters that the text could contain.
void write_array(std::ostream& out, const std::string& name, const std::string& text) {
    out << "constexpr unsigned char " << name << "[] = {";
    for (std::size_t i = 0; i < text.size(); ++i) {
        if (i % 32 == 0) out << '\n';
        out << static_cast<unsigned>(static_cast<unsigned char>(text[i])) << ',';
    }
    out << "};\n";
}

class Writer {
  public:
    Writer(std::ostream& out, const Json& document)
        : out_(out), schemas_(document.at("components").at("schemas")) {}

    void write_kind(const std::string& args) {
        args_ = args;
        walk("", schemas_.at(args));
    }

  private:
    const Json& resolved(const Json& schema) const {
        if (!schema.contains("$ref")) return schema;
        const std::string reference = schema.at("$ref");
        return schemas_.at(reference.substr(reference.rfind('/') + 1));
    }

    void walk(const std::string& pointer, const Json& referring) {
        const Json& schema = resolved(referring);
        if (schema.contains("x-flag")) write(pointer, schema);
        if (schema.contains("properties"))
            for (const auto& [name, member] : schema.at("properties").items())
                walk(pointer + "/" + name, member);
        else if (schema.contains("items"))
            walk(pointer + "/0", schema.at("items"));
    }

    void write(const std::string& pointer, const Json& schema) {
        const bool is_list = schema.at("type") == "array";
        const Json& value = is_list ? resolved(schema.at("items")) : schema;
        std::string words;
        std::string help = schema.at("x-help");
        for (const auto& word : value.value("enum", Json::array())) {
            help += (words.empty() ? ": " : ", ") + word.get<std::string>();
            words += (words.empty() ? "" : ",") + word.get<std::string>();
        }
        const auto listed = [&](const char* member) {
            std::string list;
            for (const auto& item : schema.value(member, Json::array()))
                list += (list.empty() ? "" : ",") + item.get<std::string>();
            return list;
        };
        const Json usual = schema.value("default", Json());
        const bool says_default = help.find("(default") != std::string::npos;
        if (!usual.is_null() && !usual.is_boolean() && !says_default) {
            help +=
                " (default: " + (usual.is_string() ? usual.get<std::string>() : usual.dump()) + ")";
        }
        // Texts of JSON are texts of C++.
        out_ << "    {" << Json(args_) << ", " << Json(pointer) << ", " << schema.at("x-flag")
             << ", " << Json(help) << ", " << value.at("type") << ", " << Json(is_list) << ", "
             << Json(words) << ", " << Json(listed("x-commands")) << ", "
             << Json(listed("x-known-as")) << "},\n";
    }

    std::ostream& out_;
    const Json& schemas_;
    std::string args_;
};

// Writes the table behind http::argument_flags(): every argument of a kind with x-flag.
void write_argument_flags(std::ostream& out, const Json& document) {
    Writer writer(out, document);
    out << "constexpr ArgumentFlag kArgumentFlags[] = {\n";
    for (const auto& [name, schema] : document.at("components").at("schemas").items())
        if (name.ends_with("Args")) writer.write_kind(name);
    out << "};\n";
}

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
        if (node.is_array())
            for (auto& element : node) convert(element);
        if (!node.is_object()) return;
        if (const auto reference = node.find("$ref"); reference != node.end()) {
            if (nullable_.contains(*reference))
                node = {{"oneOf", {{{"$ref", *reference}}, {{"type", "null"}}}}};
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
        for (auto& [key, value] : node.items())
            if (key != "example") convert(value);
    }

  private:
    std::set<std::string> nullable_;
};

// Converts the contract from OpenAPI 3.0 to 3.1, for tools that support JSON Schema: null is a
// type, references to nullable objects allow null where they are used, and the rule for a map's
// keys is propertyNames.
Json as_openapi_31(Json document) {
    document["openapi"] = "3.1.0";
    Converter(take_nullable_components(document["components"]["schemas"])).convert(document);
    return document;
}

}  // namespace

int main(int argc, char** argv) try {
    if (argc != 4) {
        std::cerr << "usage: embed_contract openapi.yaml out.cpp openapi-3.1.json\n";
        return 2;
    }
    std::ifstream in(argv[1]);
    std::stringstream yaml;
    yaml << in.rdbuf();
    if (!in) throw std::runtime_error(std::string("cannot read ") + argv[1]);

    std::ofstream out(argv[2]);
    out << "#include \"server/http/contract/argument_flags.hpp\"\n"
           "#include \"server/http/contract/contract_text.hpp\"\n\n"
           "namespace plimsoll::http {\nnamespace {\n";
    write_array(out, "kYaml", yaml.str());
    const auto document = convert(YAML::Load(yaml.str()));
    write_array(out, "kJson", document.dump());
    const auto document_31 = as_openapi_31(document).dump();
    write_array(out, "kJson31", document_31);
    write_argument_flags(out, document);
    out << "}  // namespace\n\n"
           "std::string_view contract_yaml() {\n"
           "    return {reinterpret_cast<const char*>(kYaml), sizeof kYaml};\n}\n\n"
           "std::string_view contract_json() {\n"
           "    return {reinterpret_cast<const char*>(kJson), sizeof kJson};\n}\n\n"
           "std::string_view contract_json_31() {\n"
           "    return {reinterpret_cast<const char*>(kJson31), sizeof kJson31};\n}\n\n"
           "std::span<const ArgumentFlag> argument_flags() { return kArgumentFlags; }\n\n"
           "}  // namespace plimsoll::http\n";
    out.close();
    if (!out) throw std::runtime_error(std::string("cannot write ") + argv[2]);
    if (!(std::ofstream(argv[3]) << document_31 << std::flush))
        throw std::runtime_error(std::string("cannot write ") + argv[3]);
    return 0;
} catch (const std::exception& error) {
    std::cerr << argv[1] << ": " << error.what() << '\n';
    return 1;
}
