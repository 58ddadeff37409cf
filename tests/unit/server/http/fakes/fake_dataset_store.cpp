#include "fake_dataset_store.hpp"

namespace plimsoll::http::test {

using queue::Dataset;
using queue::DatasetState;

template <class T>
using awaitable = boost::asio::awaitable<T>;

Result<FakeDatasetStore::Stored*> FakeDatasetStore::find(TeamId team, DatasetId id) {
    const auto found = datasets.find(id);
    if (found == datasets.end() || found->second.team != team) {
        return fail(Errc::not_found, "There is no such dataset.");
    }
    return &found->second;
}

awaitable<Result<Dataset>> FakeDatasetStore::create(queue::NewDataset dataset) {
    Stored stored;
    stored.team = dataset.team;
    stored.dataset.id = DatasetId{next_++};
    stored.dataset.submitter = dataset.submitter;
    stored.dataset.name = dataset.name;
    stored.dataset.format = dataset.format;
    stored.dataset.bytes_total = dataset.bytes;
    co_return datasets.emplace(stored.dataset.id, stored).first->second.dataset;
}

awaitable<Result<Dataset>> FakeDatasetStore::get(TeamId team, DatasetId id) {
    const auto found = find(team, id);
    if (!found) co_return fail(found.error());
    co_return (*found)->dataset;
}

awaitable<Result<std::vector<Dataset>>> FakeDatasetStore::list(TeamId team,
                                                               std::optional<DatasetId> before,
                                                               int limit) {
    std::vector<Dataset> page;
    for (auto one = datasets.rbegin(); one != datasets.rend(); ++one) {
        if (one->second.team != team || (before && one->first >= *before)) continue;
        if (page.size() < static_cast<std::size_t>(limit)) page.push_back(one->second.dataset);
    }
    co_return page;
}

awaitable<Result<queue::Upload>> FakeDatasetStore::upload(TeamId team, DatasetId id) {
    const auto found = find(team, id);
    if (!found) co_return fail(found.error());
    co_return queue::Upload{(*found)->dataset, (*found)->reading};
}

awaitable<Result<Dataset>> FakeDatasetStore::append(TeamId team, DatasetId id,
                                                    queue::UploadStep step) {
    const auto found = find(team, id);
    if (!found) co_return fail(found.error());
    auto& [owner, dataset, reading, chunks, steps] = **found;
    if (dataset.bytes_received != step.from) co_return fail(Errc::conflict, "Elsewhere.");
    ++steps;
    dataset.bytes_received = step.to;
    dataset.columns = step.columns;
    reading = step.reading;
    if (step.ends) dataset.state = DatasetState::ready;
    for (auto& chunk : step.chunks) {
        dataset.records += chunk.records;
        dataset.records_failed += chunk.failed;
        chunks.push_back(std::move(chunk));
    }
    co_return dataset;
}

awaitable<Result<Dataset>> FakeDatasetStore::reject(TeamId team, DatasetId id, std::string why) {
    const auto found = find(team, id);
    if (!found) co_return fail(found.error());
    (*found)->dataset.state = DatasetState::failed;
    (*found)->dataset.error = std::move(why);
    (*found)->chunks.clear();
    co_return (*found)->dataset;
}

awaitable<Result<void>> FakeDatasetStore::remove(TeamId team, UserId, DatasetId id) {
    const auto found = find(team, id);
    if (!found) co_return fail(found.error());
    datasets.erase(id);
    co_return Result<void>{};
}

awaitable<Result<std::vector<queue::DatasetChunkInfo>>> FakeDatasetStore::chunks(TeamId team,
                                                                                 DatasetId id) {
    const auto found = find(team, id);
    if (!found) co_return fail(found.error());
    std::vector<queue::DatasetChunkInfo> infos;
    for (const auto& chunk : (*found)->chunks) {
        infos.push_back(
            {static_cast<int>(infos.size()), chunk.first_record, chunk.records, chunk.failed});
    }
    co_return infos;
}

awaitable<Result<std::string>> FakeDatasetStore::chunk(TeamId team, DatasetId id, int seq) {
    const auto found = find(team, id);
    if (!found) co_return fail(found.error());
    co_return (*found)->chunks.at(static_cast<std::size_t>(seq)).content;
}

awaitable<Result<queue::Submitted>> FakeDatasetStore::submit(queue::NewJob job, DatasetId id,
                                                             double, double) {
    const auto found = find(job.team, id);
    if (!found) co_return fail(found.error());
    submitted.push_back(std::move(job));
    co_return queue::Submitted{answer, false};
}

}  // namespace plimsoll::http::test
