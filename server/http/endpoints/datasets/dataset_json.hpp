#pragma once

#include "server/http/messages/problem.hpp"
#include "server/queue/dataset.hpp"

#include <optional>
#include <string>

#include <nlohmann/json.hpp>

// Datasets as the contract describes them.
namespace plimsoll::http::endpoints {

std::string dataset_path(DatasetId id);
nlohmann::json dataset_json(const queue::Dataset& dataset);
// 404 for a malformed id, so that it looks like a missing one.
DatasetId dataset_id_of(const std::optional<std::string>& text);

// With Upload-Offset.
Response dataset_response(int status, const queue::Dataset& dataset);

}  // namespace plimsoll::http::endpoints
