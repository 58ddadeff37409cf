#pragma once

#include "server/http/contract/contract.hpp"
#include "server/http/messages/problem.hpp"

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace plimsoll::http {

// A parsed and percent-decoded request target; an encoded slash stays inside its segment.
struct Target {
    std::vector<std::string> segments;  // "/v1/jobs" is {"v1", "jobs"}, "/" is empty
    std::vector<std::pair<std::string, std::string>> query;
};

// 400 for an invalid URL and for hostile segments (NUL, "..").
Outcome<Target> parse_target(std::string_view text);

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
