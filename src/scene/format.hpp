// The scene format: every field, what it may be, its unit and its meaning. The one place where the format is stated.
#pragma once

#include <string>

#include "scene/rule.hpp"

namespace cairn {

inline constexpr int kFormatVersion = 1;

const Rule& sceneRule();     // a whole file
const Rule& settingsRule();  // its "settings"
const Rule& parametersRule();  // its "parameters"
const Rule& groupRule();       // one of its "groups", once parameters have been replaced by their numbers

std::string sceneSchema();     // JSON schema (draft 7) of a scene file: docs/scene.schema.json
std::string sceneReference();  // the same as tables in Markdown: docs/scene-reference.md

}  // namespace cairn
