// embed_contract openapi.yaml out.cpp openapi-3.1.json: writes a source file that holds the
// contract as it stands, as JSON and as JSON of OpenAPI 3.1, and the command line's flags for
// arguments, so that the server needs no YAML parser and no file beside it; and the last as a file,
// for the clients that are built with it.
#include "server/http/embed/argument_flags.hpp"
#include "server/http/embed/openapi_31.hpp"

#include <cstdlib>
#include <fstream>
#include <iostream>
#include <sstream>

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
        case YAML::NodeType::Scalar:
            return scalar(node);
        default:
            return nullptr;
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
    const auto document_31 = plimsoll::http::as_openapi_31(document).dump();
    write_array(out, "kJson31", document_31);
    plimsoll::http::write_argument_flags(out, document);
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
    if (!(std::ofstream(argv[3]) << document_31 << std::flush)) {
        throw std::runtime_error(std::string("cannot write ") + argv[3]);
    }
    return 0;
} catch (const std::exception& error) {
    std::cerr << argv[1] << ": " << error.what() << '\n';
    return 1;
}
