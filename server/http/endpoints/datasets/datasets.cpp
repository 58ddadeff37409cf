// Creating, listing, reading and deleting datasets.
#include "server/http/endpoints/datasets/dataset_json.hpp"
#include "server/http/endpoints/endpoints.hpp"
#include "server/http/endpoints/json_values.hpp"
#include "server/http/endpoints/page.hpp"

namespace plimsoll::http::endpoints {

namespace {

class Datasets {
  public:
    explicit Datasets(queue::DatasetStore& store) : store_(store) {}

    awaitable<Response> create(const Call& call) const {
        queue::NewDataset dataset;
        dataset.team = call.principal.team.id;
        dataset.submitter = call.principal.user.id;
        dataset.name = call.body.at("name").get<std::string>();
        dataset.format = jobs::parse_format(call.body.at("format").get<std::string>());
        dataset.bytes = call.body.at("bytes").get<std::int64_t>();
        const auto created = need(co_await store_.create(std::move(dataset)));
        co_return located(dataset_response(201, created), dataset_path(created.id));
    }

    awaitable<Response> list(const Call& call) const {
        const auto before = page_cursor<DatasetId>(call, "data");
        auto datasets =
            need(co_await store_.list(call.principal.team.id, before, peek_limit(call)));
        co_return page_response(call, std::move(datasets), dataset_json,
                                place_by_id<queue::Dataset>);
    }

    awaitable<Response> get(const Call& call) const {
        const auto id = dataset_id_of(call.parameters.text("dataset_id"));
        const auto dataset = need(co_await store_.get(call.principal.team.id, id));
        co_return dataset_response(200, dataset);
    }

    awaitable<Response> remove(const Call& call) const {
        const auto id = dataset_id_of(call.parameters.text("dataset_id"));
        need(co_await store_.remove(call.principal.team.id, call.principal.user.id, id));
        co_return empty_response(204);
    }

  private:
    queue::DatasetStore& store_;
};

}  // namespace

void add_datasets(Handlers& handlers, queue::DatasetStore& store) {
    const Members on(handlers, std::make_shared<const Datasets>(store));
    on("createDataset", &Datasets::create);
    on("listDatasets", &Datasets::list);
    on("getDataset", &Datasets::get);
    on("deleteDataset", &Datasets::remove);
}

}  // namespace plimsoll::http::endpoints
