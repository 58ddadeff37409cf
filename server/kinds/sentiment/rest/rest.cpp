#include "server/kinds/sentiment/rest/rest.hpp"

#include "server/jobs/records/model_requirement.hpp"
#include "server/kinds/sentiment/rest/model_operations.hpp"

namespace plimsoll::jobs::sentiment {

std::vector<Manifest> models_of(const std::vector<queue::DeviceStatus>& devices, TeamId team) {
    std::vector<std::string> texts;
    for (const auto& device : devices)
        if (is_ready(device)) texts.push_back(queue::advertisements_of(device));
    return models_of(texts, team);
}

void add_operations(http::Handlers& handlers, const Services& services) {
    const auto operations = std::make_shared<ModelOperations>(models_folder(services.settings),
                                                              services.clock, services.draining);
    add_models(handlers, services, operations);
    add_model_operations(handlers, services, operations);
    add_model_use(handlers, services);
    add_scores(handlers, services);
    add_policy_report(handlers, services);
    add_policies(handlers, services);
}

}  // namespace plimsoll::jobs::sentiment
