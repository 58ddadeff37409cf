#include "server/client/query.hpp"

#include <boost/url/url.hpp>

namespace plimsoll::client {

std::string with_query(std::string_view path,
                       const std::vector<std::pair<std::string_view, std::string>>& parameters) {
    boost::urls::url target;
    target.set_path(path);
    for (const auto& [name, value] : parameters) {
        if (!value.empty()) target.params().append({name, value});
    }
    return std::string(target.buffer());
}

}  // namespace plimsoll::client
