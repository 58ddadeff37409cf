#include "server/http/contract/parameters.hpp"

#include "engine/base/json.hpp"
#include "server/http/contract/json_body.hpp"

#include <algorithm>
#include <charconv>

namespace plimsoll::http {

namespace {

std::vector<std::string> sent(const Parameter& parameter, const Match& match, const Target& target,
                              const Request& request) {
    std::vector<std::string> values;
    if (parameter.in == Parameter::In::header) {
        if (const auto value = request.header(parameter.name)) values.emplace_back(*value);
        return values;
    }
    const auto& pairs = parameter.in == Parameter::In::path ? match.path_parameters : target.query;
    for (const auto& [name, value] : pairs)
        if (name == parameter.name) values.push_back(value);
    return values;
}

// Parameters arrive as text; an invalid number stays text and fails its type check.
json typed(const std::string& text, const std::string& type) {
    if (type == "integer") {
        std::int64_t number = 0;
        const auto end = text.data() + text.size();
        const auto [stop, error] = std::from_chars(text.data(), end, number);
        if (error == std::errc() && stop == end) return number;
    }
    if (type == "boolean" && (text == "true" || text == "false")) return text == "true";
    return text;
}

bool knows(const Operation& operation, std::string_view query_name) {
    return std::ranges::any_of(operation.parameters, [&](const Parameter& parameter) {
        return parameter.in == Parameter::In::query && parameter.name == query_name;
    });
}

}  // namespace

Outcome<Parameters> Parameters::read(const Match& match, const Target& target,
                                     const Request& request) {
    Parameters result;
    Problem problem(400, "A parameter is invalid.");
    const auto complain = [&](const std::string& name, std::string detail) {
        problem.errors.push_back({{}, name, std::move(detail)});
    };
    for (const auto& parameter : match.operation->parameters) {
        const auto values = sent(parameter, match, target, request);
        if (values.size() > 1) {
            complain(parameter.name, "is given more than once");
        } else if (values.empty()) {
            if (parameter.required) complain(parameter.name, "is required");
            if (const auto& value = parameter.schema->default_value())
                result.values_.emplace(parameter.name, *value);
        } else if (invalid_utf8(values[0])) {
            complain(parameter.name, "is not valid UTF-8");
        } else {
            auto value = typed(values[0], parameter.schema->type());
            const auto violations = parameter.schema->check(value);
            for (const auto& violation : violations) complain(parameter.name, violation.message);
            result.values_.emplace(parameter.name, std::move(value));
        }
    }
    for (const auto& [name, value] : target.query)
        if (!knows(*match.operation, name)) complain(name, "is unknown");
    if (!problem.errors.empty()) return tl::unexpected(std::move(problem));
    return result;
}

std::optional<std::string> Parameters::text(std::string_view name) const {
    const auto found = values_.find(name);
    if (found == values_.end()) return std::nullopt;
    return found->second.get<std::string>();
}

bool Parameters::flag(std::string_view name) const {
    const auto found = values_.find(name);
    return found != values_.end() && found->second.get<bool>();
}

std::optional<std::int64_t> Parameters::integer(std::string_view name) const {
    const auto found = values_.find(name);
    if (found == values_.end()) return std::nullopt;
    return found->second.get<std::int64_t>();
}

}  // namespace plimsoll::http
