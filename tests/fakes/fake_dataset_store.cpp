#include "tests/fakes/fake_dataset_store.hpp"

namespace plimsoll::fakes {

using queue::Dataset;
using queue::DatasetState;

Result<FakeDatasetStore::Stored*> FakeDatasetStore::find(TeamId team, DatasetId id) {
    const auto found = datasets.find(id);
    if (found == datasets.end() || found->second.team != team) {
        return fail(Errc::not_found, "The dataset was not found.");
    }
    return &found->second;
}

std::optional<Error> FakeDatasetStore::broken_limit(const queue::NewDataset& dataset) const {
    int count = 0;
    int uploads = 0;
    std::int64_t bytes = dataset.bytes;
    for (const auto& [id, one] : datasets) {
        if (one.team != dataset.team) continue;
        ++count;
        if (one.dataset.state == DatasetState::uploading) ++uploads;
        if (one.dataset.state != DatasetState::failed) bytes += one.dataset.bytes_total;
    }
    if (count >= queue::kTeamDatasets) return Error{Errc::conflict, "Too many.", {}};
    if (uploads >= queue::kTeamUploads) return Error{Errc::conflict, "Too many uploads.", {}};
    if (bytes > queue::kTeamDatasetBytes) {
        return Error{Errc::invalid_input, "Too many bytes.", "/bytes"};
    }
    return std::nullopt;
}

awaitable<Result<Dataset>> FakeDatasetStore::create(queue::NewDataset dataset) {
    if (const auto broken = broken_limit(dataset)) co_return fail(*broken);
    Stored stored;
    stored.team = dataset.team;
    stored.dataset.id = DatasetId{next_++};
    stored.dataset.submitter = dataset.submitter;
    stored.dataset.name = dataset.name;
    stored.dataset.format = dataset.format;
    stored.dataset.bytes_total = dataset.bytes;
    stored.dataset.submitter_name = identity_.name_of(dataset.submitter);
    stored.dataset.created_at = SystemClock().now();
    stored.dataset.version = 1;
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
    if (dataset.state != DatasetState::uploading || dataset.bytes_received != step.from) {
        co_return fail(Errc::conflict, "The upload does not stand there.");
    }
    ++steps;
    ++dataset.version;
    dataset.bytes_received = step.to;
    dataset.columns = step.columns;
    reading = step.reading;
    if (step.ends) dataset.state = DatasetState::ready;
    for (auto& chunk : step.chunks) {
        dataset.records += chunk.records;
        dataset.records_failed += chunk.failed;
        chunks.push_back(std::move(chunk));
        ++dataset.chunks;
    }
    co_return dataset;
}

awaitable<Result<Dataset>> FakeDatasetStore::reject(TeamId team, DatasetId id, std::string why) {
    const auto found = find(team, id);
    if (!found) co_return fail(found.error());
    auto& dataset = (*found)->dataset;
    if (dataset.state != DatasetState::uploading) co_return dataset;
    dataset.state = DatasetState::failed;
    dataset.error = std::move(why);
    dataset.records = dataset.records_failed = dataset.chunks = 0;
    ++dataset.version;
    (*found)->chunks.clear();
    co_return dataset;
}

awaitable<Result<void>> FakeDatasetStore::remove(TeamId team, UserId, DatasetId id) {
    const auto found = find(team, id);
    if (!found) co_return fail(found.error());
    if (jobs_.uses(id)) co_return fail(Errc::conflict, "A job on it has not ended.");
    datasets.erase(id);
    jobs_.forget_dataset(id);
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
    const auto& chunks = (*found)->chunks;
    if (static_cast<std::size_t>(seq) >= chunks.size()) {
        co_return fail(Errc::not_found, "The chunk was not found.");
    }
    co_return chunks[static_cast<std::size_t>(seq)].content;
}

awaitable<Result<queue::Submitted>> FakeDatasetStore::submit(queue::NewJob job, DatasetId id,
                                                             double seconds_per_record,
                                                             double seconds_per_byte) {
    const auto found = find(job.team, id);
    if (!found) co_return fail(found.error());
    if ((*found)->dataset.state != DatasetState::ready) {
        co_return fail(Errc::not_found, "The dataset is not ready.");
    }
    for (const auto& chunk : (*found)->chunks) {
        job.plan.tasks.push_back({chunk.content, chunk.records,
                                  seconds_per_record * static_cast<double>(chunk.records) +
                                      seconds_per_byte * static_cast<double>(chunk.bytes)});
    }
    co_return jobs_.store(std::move(job), id);
}

}  // namespace plimsoll::fakes
