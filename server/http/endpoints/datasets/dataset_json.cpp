#include "server/http/endpoints/datasets/dataset_json.hpp"

#include "engine/base/json.hpp"
#include "server/http/endpoints/json_values.hpp"
#include "server/http/endpoints/query.hpp"

namespace plimsoll::http::endpoints {

std::string dataset_path(DatasetId id) { return "/v1/datasets/" + to_public(id); }

json dataset_json(const queue::Dataset& dataset) {
    const auto path = dataset_path(dataset.id);
    return {
        {"id", to_public(dataset.id)},
        {"name", dataset.name},
        {"format", jobs::to_string(dataset.format)},
        {"state", to_string(dataset.state)},
        {"error", text_or_null(dataset.error)},
        {"bytes_total", dataset.bytes_total},
        {"bytes_received", dataset.bytes_received},
        {"columns", dataset.columns},
        {"records", dataset.records},
        {"records_failed", dataset.records_failed},
        {"created_at", to_rfc3339(dataset.created_at)},
        {"submitter", {{"id", to_public(dataset.submitter)}, {"name", dataset.submitter_name}}},
        {"links",
         {{"self", path},
          {"content", path + "/content"},
          {"records", path + "/records"},
          {"errors", path + "/errors"}}},
    };
}

DatasetId dataset_id_of(const std::optional<std::string>& text) {
    return parse_id<DatasetId>("data", text, "The dataset was not found.");
}

Response dataset_response(int status, const queue::Dataset& dataset) {
    auto response = json_response(status, dataset_json(dataset));
    response.with("Upload-Offset", std::to_string(dataset.bytes_received));
    return response;
}

}  // namespace plimsoll::http::endpoints
