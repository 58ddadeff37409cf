#include "server/http/contract/contract.hpp"

#include "engine/base/json.hpp"
#include "server/base/time.hpp"
#include "server/http/messages/limits.hpp"
#include "server/http/messages/response.hpp"

#include <algorithm>
#include <array>
#include <stdexcept>

namespace plimsoll::http {

namespace {

constexpr std::array<std::string_view, 5> kMethods = {"get", "put", "post", "delete", "patch"};

Parameter::In place_of(const std::string& name) {
    if (name == "path") return Parameter::In::path;
    if (name == "query") return Parameter::In::query;
    if (name == "header") return Parameter::In::header;
    throw std::runtime_error("openapi.yaml: parameters in " + name + " are not supported");
}

Operation::Keeps kept_of(const std::string& word) {
    if (word == "none") return Operation::Keeps::none;
    if (word == "location") return Operation::Keeps::location;
    if (word == "whole") return Operation::Keeps::whole;
    throw std::runtime_error("openapi.yaml: x-keeps-answer cannot be " + word);
}

std::time_t time_in(const json& source, const char* member) {
    const auto time = parse_rfc3339(source.at(member).get<std::string>());
    if (!time) throw std::runtime_error("openapi.yaml: " + std::string(member) + " is not a time");
    return std::chrono::system_clock::to_time_t(*time);
}

std::vector<Header> deprecation_of(const json& source) {
    std::vector<Header> fields;
    if (!source.value("deprecated", false)) return fields;
    fields.push_back({"Deprecation", '@' + std::to_string(time_in(source, "x-deprecated-at"))});
    if (source.contains("x-sunset-at"))
        fields.push_back({"Sunset", http_date(time_in(source, "x-sunset-at"))});
    return fields;
}

}  // namespace

Contract::Contract(std::string_view json_text)
    : document_(json::parse(json_text)),
      schemas_(document_),
      version_(document_.at("info").at("version").get<std::string>()) {
    for (const auto& [path, item] : document_.at("paths").items()) {
        for (const auto method : kMethods)
            if (item.contains(method)) add_operation(path, item, std::string(method));
    }
}

const json& Contract::resolve(const json& node, const std::string& where) const {
    const auto reference = node.find("$ref");
    return reference == node.end()
               ? node
               : resolve_reference(document_, reference->get<std::string>(), where);
}

void Contract::add_operation(const std::string& path, const json& item, const std::string& method) {
    const auto& source = item.at(method);
    Operation operation;
    operation.id = source.at("operationId").get<std::string>();
    operation.path = path;
    operation.method = method;
    std::ranges::transform(operation.method, operation.method.begin(),
                           [](char c) { return static_cast<char>(c - 'a' + 'A'); });
    operation.scope = source.value("x-scope", "");
    operation.open = source.contains("security") && source["security"].empty();
    if (item.contains("parameters")) add_parameters(operation, item["parameters"]);
    if (source.contains("parameters")) add_parameters(operation, source["parameters"]);
    if (source.contains("requestBody")) {
        const auto& content = resolve(source["requestBody"], operation.id).at("content");
        if (content.contains("application/json")) {
            operation.body =
                &schemas_.compile(content["application/json"].at("schema"), operation.id);
        } else {
            operation.stream_type = content.begin().key();
        }
        operation.body_limit = source.value("x-max-body-bytes", limits::kBodyBytes);
    } else if (operation.method != "GET") {
        operation.body_limit = kEmptyBody.size();
    }
    add_media_types(operation, source.at("responses"));
    operation.is_paged = std::ranges::count(operation.parameters, "cursor", &Parameter::name) > 0;
    operation.deprecation = deprecation_of(source);
    operation.keeps = kept_of(source.value("x-keeps-answer", "none"));
    operations_.push_back(std::move(operation));
}

void Contract::add_media_types(Operation& operation, const json& responses) {
    for (const auto& [status, reference] : responses.items()) {
        if (!status.starts_with('2')) continue;
        const auto& response = resolve(reference, operation.id);
        if (!response.contains("content")) continue;
        for (const auto& [type, media] : response["content"].items())
            if (std::ranges::find(operation.produces, type) == operation.produces.end())
                operation.produces.push_back(type);
    }
}

void Contract::add_parameters(Operation& operation, const json& list) {
    for (const auto& entry : list) {
        const auto& source = resolve(entry, operation.id);
        Parameter parameter;
        parameter.name = source.at("name").get<std::string>();
        parameter.in = place_of(source.at("in"));
        parameter.required = source.value("required", false);
        parameter.schema = &schemas_.compile(source.at("schema"), parameter.name);
        operation.parameters.push_back(std::move(parameter));
    }
}

const Operation* Contract::find(std::string_view operation_id) const {
    const auto found = std::ranges::find(operations_, operation_id, &Operation::id);
    return found == operations_.end() ? nullptr : &*found;
}

std::vector<std::string> Contract::kinds() const {
    std::vector<std::string> names;
    const auto mapping = "/components/schemas/JobSpec/discriminator/mapping"_json_pointer;
    for (const auto& [name, reference] : document_.at(mapping).items()) names.push_back(name);
    return names;
}

const Schema* Contract::answer(const Operation& operation, int status,
                               const std::string& media_type) {
    auto method = operation.method;
    std::ranges::transform(method, method.begin(),
                           [](char c) { return static_cast<char>(c - 'A' + 'a'); });
    const auto& responses = document_.at("paths").at(operation.path).at(method).at("responses");
    auto found = responses.find(std::to_string(status));
    if (found == responses.end() && status >= 400) found = responses.find("default");
    if (found == responses.end()) return nullptr;
    const auto& response = resolve(*found, operation.id);
    if (!response.contains("content") || !response["content"].contains(media_type)) return nullptr;
    return &schemas_.compile(response["content"][media_type].at("schema"), operation.id);
}

}  // namespace plimsoll::http
