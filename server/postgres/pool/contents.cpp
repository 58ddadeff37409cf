#include "server/postgres/pool/contents.hpp"

#include "server/outbound/object_store.hpp"
#include "server/postgres/pool/pool.hpp"
#include "server/postgres/pool/scope.hpp"
#include "server/postgres/sql.hpp"

#include <chrono>
#include <utility>
#include <vector>

namespace plimsoll::postgres {
namespace {

constexpr std::string_view kMark = "plimsoll-object:";
constexpr std::size_t kSizeBytes = 4;
// A row follows its object within a minute; a worker that waits for the database writes it anew.
constexpr std::chrono::hours kLeastAge{24};
constexpr std::chrono::seconds kPageTimeout{30};

}  // namespace

std::string dataset_folder(DatasetId dataset) {
    return std::string(kAnyDataset) + std::to_string(dataset.value) + "/";
}

std::string result_folder(JobId job, int task) {
    return "results/" + std::to_string(job.value) + "/" + std::to_string(task) + "/";
}

awaitable<Result<std::string>> keep(outbound::ObjectStore* objects, std::string folder,
                                    std::string content) {
    if (objects == nullptr || content.size() < kLeastObject) co_return content;
    const auto name = objects->unique_name(folder);
    const auto size = content.substr(content.size() - kSizeBytes);
    CO_TRY_DO(co_await objects->put(name, std::move(content)));
    co_return std::string(kMark) + name + size;
}

bool is_elsewhere(std::string_view held) { return held.starts_with(kMark); }

awaitable<Result<std::string>> fetch(outbound::ObjectStore* objects, std::string folder,
                                     Result<std::string> held) {
    if (!held || !is_elsewhere(*held)) co_return held;
    if (objects == nullptr)
        co_return fail(Errc::unavailable, "The content is in an object store: set objects.url.");
    const auto name = held->substr(kMark.size(), held->size() - kMark.size() - kSizeBytes);
    if (!name.starts_with(folder))
        co_return fail(Errc::corrupt, "A row of " + folder + " names the object " + name + ".");
    auto content = co_await objects->get(name);
    if (!content && content.error().code == Errc::not_found) content.error().code = Errc::corrupt;
    co_return content;
}

awaitable<Result<int>> sweep_objects(outbound::ObjectStore& objects, Pool& pool, Timestamp now) {
    int removed = 0;
    std::string after;
    for (;;) {
        CO_TRY(const auto page, co_await objects.list(std::move(after)));
        if (page.empty()) co_return removed;
        after = page.back().name;
        std::vector<std::string> old;
        for (const auto& object : page)
            if (object.changed < now - kLeastAge) old.push_back(object.name);
        if (old.empty()) continue;
        CO_TRY(const auto rows,
               co_await pool.run(Statement::of(sql::duties_unnamed_objects, old), kPageTimeout));
        for (const Row row : rows) {
            CO_TRY_DO(co_await objects.remove(row.get<std::string>("name")));
            ++removed;
        }
    }
}

}  // namespace plimsoll::postgres
