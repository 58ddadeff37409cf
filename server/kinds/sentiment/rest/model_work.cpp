// Pulls and verifications of models: started by system admins, visible to all.
#include "engine/base/json.hpp"
#include "engine/models/store.hpp"
#include "server/base/offload.hpp"
#include "server/http/endpoints/query.hpp"
#include "server/identity/audit_store.hpp"
#include "server/jobs/records/model_requirement.hpp"
#include "server/kinds/sentiment/contract/texts.hpp"
#include "server/kinds/sentiment/rest/model_operations.hpp"
#include "server/kinds/sentiment/rest/rest.hpp"

#include <boost/asio/this_coro.hpp>

namespace plimsoll::jobs::sentiment {

using http::Call;
using http::need;
using http::Problem;
using http::Refused;
using http::Response;

namespace {

Refused unknown_operation() { return Refused(404, "The operation was not found."); }

// From the body; an invalid combination of members is refused.
ModelWork work_of(const Call& call) {
    const json& body = call.body;
    ModelWork work{.action = body.at("action"),
                   .model = body.value("name", body.at("model").get<std::string>()),
                   .source = {},
                   .revision = body.value("revision", ""),
                   .audience = {},
                   .started_by = call.principal.user.name};
    if (work.action == "pull") {
        work.source = body.at("model");
        if (body.value("audience", "all") == "team")
            work.audience = to_public(call.principal.team.id);
    } else {
        for (const char* member : {"name", "revision", "audience"}) {
            if (body.contains(member)) {
                throw Refused(http::invalid_member(std::string("/") + member,
                                                   "It only applies to a pull: omit it."));
            }
        }
    }
    const auto* const pointer = body.contains("name") ? "/name" : "/model";
    if (work.model == kVader)
        throw Refused(
            http::invalid_member(pointer, "vader is built in: it cannot be pulled or verified."));
    if (!models::is_model_name(work.model)) {
        throw Refused(http::invalid_member(
            pointer,
            work.action == "pull"
                ? "A model's name must have 1 to 64 characters (a-z, 0-9, '.', '_', '-') and "
                  "begin with a letter or digit: choose one with \"name\"."
                : "It must be the name of an installed model."));
    }
    return work;
}

class ModelWorks {
  public:
    ModelWorks(Services services, std::shared_ptr<ModelOperations> operations)
        : services_(std::move(services)),
          operations_(std::move(operations)),
          folder_(models_folder(services_.settings)) {}

    awaitable<Response> start(const Call& call) const {
        auto work = work_of(call);
        if (auto refused = co_await check_installed(call.principal.team.id, work))
            throw Refused(std::move(*refused));
        const auto author = http::endpoints::author_of(call);
        const json data{{"source", work.source},
                        {"audience", work.audience.empty() ? "all" : "team"}};
        auto started = need(operations_->start(co_await boost::asio::this_coro::executor, work));
        if (work.action == "pull") {
            const auto recorded = co_await services_.stores.audit.record(author, "model.pull",
                                                                         work.model, data.dump());
            if (!recorded) {  // without an audit event nothing is done
                operations_->cancel(started.id);
                throw Refused(recorded.error());
            }
        }
        co_return http::json_response(202, to_json(started));
    }

    Response list(const Call& call) const {
        auto items = json::array();
        for (const auto& one : operations_->list(call.principal.team.id))
            items.push_back(to_json(one));
        return http::json_response(200, {{"items", std::move(items)}});
    }

    Response cancel(const Call& call) const {
        const auto found = find(call);
        if (!found) throw unknown_operation();
        operations_->cancel(found->id);
        return http::json_response(202, to_json(*find(call)));
    }

  private:
    std::optional<ModelOperation> find(const Call& call) const {
        return operations_->find(call.principal.team.id,
                                 call.parameters.text("operation_id").value_or(""));
    }

    // A pull needs a free name, a verification an installed model.
    awaitable<std::optional<Problem>> check_installed(TeamId team, const ModelWork& work) const {
        const auto installed = co_await offload(
            services_.pool, [&] { return models::Store(folder_).find(work.model); });
        if (work.action == "pull") {
            if (!installed) co_return std::nullopt;
            co_return Problem(409, "A model \"" + work.model +
                                       "\" is already installed: remove it first, or pull under "
                                       "another name.");
        }
        if (installed && is_for(installed->audience, team)) co_return std::nullopt;
        co_return Problem(404, "The server's machine has no model \"" + work.model + "\".");
    }

    Services services_;
    std::shared_ptr<ModelOperations> operations_;
    std::filesystem::path folder_;
};

}  // namespace

void add_model_operations(http::Handlers& handlers, const Services& services,
                          const std::shared_ptr<ModelOperations>& operations) {
    const auto works = std::make_shared<const ModelWorks>(services, operations);
    handlers["createModelOperation"] = [works](const Call& call) { return works->start(call); };
    handlers["listModelOperations"] = [works](const Call& call) -> awaitable<Response> {
        co_return works->list(call);
    };
    handlers["cancelModelOperation"] = [works](const Call& call) -> awaitable<Response> {
        co_return works->cancel(call);
    };
}

}  // namespace plimsoll::jobs::sentiment
