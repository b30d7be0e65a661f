// The options that every command which simulates a scene has.
#pragma once

#include <string>

#include "app/commands.hpp"
#include "scene/scene_model.hpp"

namespace cairn {

// The scene with --set, --dt, --seconds and --threads taken into it. Throws SceneError and BadInput.
SceneModel openModel(const SceneArguments& arguments);

// Refuses, with BadInput, a --solver that does not exist or has wrong options.
void checkSolverOption(const std::string& solver);

// Those of the steppers that let their solver be chosen.
std::vector<std::string_view> steppersWithSolver();

}  // namespace cairn
