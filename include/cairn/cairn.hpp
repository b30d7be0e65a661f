// Everything of Cairn's public interface.
#pragma once

#include "cairn/body.hpp"
#include "cairn/contact_problem.hpp"
#include "cairn/events.hpp"
#include "cairn/ids.hpp"
#include "cairn/joint.hpp"
#include "cairn/math.hpp"
#include "cairn/query.hpp"
#include "cairn/report.hpp"
#include "cairn/settings.hpp"
#include "cairn/shape.hpp"
#include "cairn/world.hpp"
