// What `cairn compare` found, as one HTML page that needs nothing else: no network, no script.
#pragma once

#include <string>

#include "app/comparison.hpp"

namespace cairn {

std::string comparePage(const MethodComparison& comparison);

}  // namespace cairn
