#include "server/kinds/sentiment/command/disagreements.hpp"

#include <cerrno>
#include <cstring>
#include <fstream>
#include <set>
#include <string_view>

#include <nlohmann/json.hpp>

namespace plimsoll::jobs::sentiment {
namespace {

using nlohmann::ordered_json;

// Empty: the models agree, or the text failed.
std::string line_of(std::string_view row) {
    const auto item = ordered_json::parse(row);
    const auto models = item.find("models");
    if (models == item.end() || !models->is_object()) return {};
    auto said = ordered_json::object();
    std::set<std::string> labels;
    for (const auto& [name, score] : models->items()) {
        said[name] = score.at("label");
        labels.insert(score.at("label").get<std::string>());
    }
    if (labels.size() < 2) return {};
    const auto given = item.find("given_label");
    return ordered_json{{"index", item.at("index")},
                        {"custom_id", item.at("custom_id")},
                        {"text", item.at("text")},
                        {"label", given == item.end() ? ordered_json(nullptr) : *given},
                        {"models", std::move(said)}}
               .dump() +
           '\n';
}

}  // namespace

Result<std::int64_t> write_disagreements(client::ApiClient& api, const std::string& job_id,
                                         const std::string& file) {
    std::ofstream out(file, std::ios::binary | std::ios::trunc);
    if (!out) {
        return fail(Errc::invalid_input,
                    "--disagreements: cannot write " + file + ": " + std::strerror(errno) + ".");
    }
    std::int64_t count = 0;
    std::string rest;  // the beginning of a row whose end has not come yet
    const auto take = [&](std::string_view piece) {
        rest.append(piece);
        std::size_t start = 0;
        for (auto end = rest.find('\n'); end != std::string::npos; end = rest.find('\n', start)) {
            const auto line = line_of(std::string_view(rest).substr(start, end - start));
            start = end + 1;
            if (line.empty()) continue;
            out << line;
            ++count;
        }
        rest.erase(0, start);
        return static_cast<bool>(out);
    };
    auto done = api.stream("/v1/jobs/" + job_id + "/results.jsonl", {}, take);
    if (!done) return fail(done.error());
    if (!out.flush()) {
        return fail(Errc::invalid_input, "--disagreements: cannot write all of " + file + ".");
    }
    return count;
}

}  // namespace plimsoll::jobs::sentiment
