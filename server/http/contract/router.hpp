#pragma once

#include "server/http/contract/contract.hpp"
#include "server/http/contract/target.hpp"
#include "server/http/messages/problem.hpp"

namespace plimsoll::http {

struct Match {
    const Operation* operation = nullptr;
    std::vector<std::pair<std::string, std::string>> path_parameters;
};

// Maps a request to its operation. Serves exactly the paths of the contract.
class Router {
  public:
    explicit Router(const Contract& contract);

    // 404, or 405 with Allow. HEAD matches GET; its body is not sent.
    Outcome<Match> match(std::string_view method, const Target& target) const;
    // The methods of a path, as in Allow: "GET, HEAD, OPTIONS"; empty: there is no such path.
    std::string methods(const Target& target) const;

  private:
    struct Route {
        std::vector<std::string> segments;  // "{index}.png": any segment that ends like this
        std::vector<const Operation*> operations;
    };
    const Route* find(const Target& target) const;

    std::vector<Route> routes_;
};

}  // namespace plimsoll::http
