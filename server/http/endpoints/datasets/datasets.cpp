// Creating, listing, reading and deleting datasets.
#include "server/http/endpoints/datasets/dataset_json.hpp"
#include "server/http/endpoints/endpoints.hpp"
#include "server/http/endpoints/json_values.hpp"
#include "server/http/endpoints/page.hpp"

namespace plimsoll::http::endpoints {

using boost::asio::awaitable;

namespace {

class Datasets {
  public:
    explicit Datasets(queue::DatasetStore& store) : store_(store) {}

    awaitable<Outcome<Response>> create(const Call& call) const {
        queue::NewDataset dataset;
        dataset.team = call.principal.team.id;
        dataset.submitter = call.principal.user.id;
        dataset.name = call.body.at("name").get<std::string>();
        dataset.format = jobs::parse_format(call.body.at("format").get<std::string>());
        dataset.bytes = call.body.at("bytes").get<std::int64_t>();
        const auto created = co_await store_.create(std::move(dataset));
        if (!created) co_return tl::unexpected<Problem>(created.error());
        auto response = dataset_response(201, *created);
        response.with("Location", dataset_path(created->id));
        co_return response;
    }

    awaitable<Outcome<Response>> list(const Call& call) const {
        const auto before = page_cursor<DatasetId>(call, "data");
        if (!before) co_return tl::unexpected(before.error());
        const auto limit = static_cast<int>(page_limit(call)) + 1;
        auto datasets = co_await store_.list(call.principal.team.id, *before, limit);
        if (!datasets) co_return tl::unexpected<Problem>(datasets.error());
        co_return page_response(call, std::move(*datasets),
                                [](JsonWriter& page, const queue::Dataset& dataset) {
                                    page.json(to_text(dataset_json(dataset)));
                                });
    }

    awaitable<Outcome<Response>> get(const Call& call) const {
        const auto id = dataset_id_of(call.parameters.text("dataset_id"));
        if (!id) co_return tl::unexpected(id.error());
        const auto dataset = co_await store_.get(call.principal.team.id, *id);
        if (!dataset) co_return tl::unexpected<Problem>(dataset.error());
        co_return dataset_response(200, *dataset);
    }

    awaitable<Outcome<Response>> remove(const Call& call) const {
        const auto id = dataset_id_of(call.parameters.text("dataset_id"));
        if (!id) co_return tl::unexpected(id.error());
        const auto removed =
            co_await store_.remove(call.principal.team.id, call.principal.user.id, *id);
        if (!removed) co_return tl::unexpected<Problem>(removed.error());
        co_return empty_response(204);
    }

  private:
    queue::DatasetStore& store_;
};

}  // namespace

void add_datasets(Handlers& handlers, queue::DatasetStore& store) {
    const auto datasets = std::make_shared<const Datasets>(store);
    handlers["createDataset"] = [datasets](const Call& call) { return datasets->create(call); };
    handlers["listDatasets"] = [datasets](const Call& call) { return datasets->list(call); };
    handlers["getDataset"] = [datasets](const Call& call) { return datasets->get(call); };
    handlers["deleteDataset"] = [datasets](const Call& call) { return datasets->remove(call); };
}

}  // namespace plimsoll::http::endpoints
