#include "server/http/embed/argument_flags.hpp"

#include <string>

namespace plimsoll::http {
namespace {

using Json = nlohmann::ordered_json;

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
        if (schema.contains("properties")) {
            for (const auto& [name, member] : schema.at("properties").items())
                walk(pointer + "/" + name, member);
        } else if (schema.contains("items")) {
            walk(pointer + "/0", schema.at("items"));
        }
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
        const Json usual = schema.value("default", Json());
        const bool says_default = help.find("(default") != std::string::npos;
        if (!usual.is_null() && !usual.is_boolean() && !says_default) {
            help +=
                " (default: " + (usual.is_string() ? usual.get<std::string>() : usual.dump()) + ")";
        }
        // Texts of JSON are texts of C++.
        out_ << "    {" << Json(args_) << ", " << Json(pointer) << ", " << schema.at("x-flag")
             << ", " << Json(help) << ", " << value.at("type") << ", " << Json(is_list) << ", "
             << Json(words) << "},\n";
    }

    std::ostream& out_;
    const Json& schemas_;
    std::string args_;
};

}  // namespace

void write_argument_flags(std::ostream& out, const Json& document) {
    Writer writer(out, document);
    out << "constexpr ArgumentFlag kArgumentFlags[] = {\n";
    for (const auto& [name, schema] : document.at("components").at("schemas").items()) {
        if (name.ends_with("Args")) writer.write_kind(name);
    }
    out << "};\n";
}

}  // namespace plimsoll::http
