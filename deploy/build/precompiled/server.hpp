#pragma once

// What most folders of the server include, parsed once for the release build. Other builds do
// without, so that every file shows there that it includes what it uses.
#include "deploy/build/precompiled/json.hpp"
#include "engine/base/result.hpp"

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <stop_token>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

// Its functions are emitted in every folder that makes a command, and run once in a program: the
// compiler's time on them is not worth it.
#pragma clang optimize off
#include <CLI/CLI.hpp>
#pragma clang optimize on
#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/awaitable.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/experimental/awaitable_operators.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/use_awaitable.hpp>
