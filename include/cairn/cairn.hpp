// What a game or a simulation includes: worlds, bodies, joints, reports. Contact problems and their solvers, with sparse
// matrices, are in cairn/contact_problem.hpp, for those who ask for them.
#pragma once

#include "cairn/body.hpp"
#include "cairn/events.hpp"
#include "cairn/exit.hpp"
#include "cairn/ids.hpp"
#include "cairn/inspect.hpp"
#include "cairn/joint.hpp"
#include "cairn/math.hpp"
#include "cairn/options.hpp"
#include "cairn/query.hpp"
#include "cairn/report.hpp"
#include "cairn/settings.hpp"
#include "cairn/shape.hpp"
#include "cairn/surface.hpp"
#include "cairn/world.hpp"
