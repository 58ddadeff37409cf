#include "server/kinds/sentiment/command/measure_accuracy.hpp"

#include "server/base/programs/sibling_program.hpp"
#include "server/base/programs/spawn.hpp"

#include <cerrno>
#include <cstring>

#include <sys/wait.h>
#include <unistd.h>

namespace plimsoll::jobs::sentiment {

Result<void> measure_accuracy(const std::filesystem::path& models, const std::string& model,
                              const LabelledFile& labels, bool quiet) {
    ChildCommand command{
        .path = sibling_program("plimsoll-engine"),
        .arguments = {"prove", model, "--models", models.string(), "--labels", labels.file},
        .environment = own_environment()};
    for (const auto& name : labels.names) {
        command.arguments.emplace_back("--label-name");
        command.arguments.push_back(name);
    }
    if (quiet) command.redirections = {{STDERR_FILENO, STDOUT_FILENO}};
    const pid_t child = spawn(command);
    if (child < 0) {
        return fail(Errc::unavailable,
                    command.path + " cannot be started: " + std::strerror(errno) + ".");
    }
    int status = 0;
    while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
    }
    if (WIFEXITED(status) && WEXITSTATUS(status) == 0) return {};
    return fail(Errc::unavailable, "The accuracy was not measured.");
}

}  // namespace plimsoll::jobs::sentiment
