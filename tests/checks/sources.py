#!/usr/bin/env python3
"""Rules of the design that no compiler enforces, checked on the text of src/.

    tests/checks/sources.py [--pending] [ROOT]

Exit code 0 if all hold; else one line for each place that breaks one. A rule that does not hold yet everywhere stands in
PENDING: its breaches are counted (--pending: listed) and do not fail. Delete an entry when the script says that it is no
longer needed.
"""
import os
import re
import sys

# Files that may still break a rule, by rule. A name that ends in "/" is a folder.
PENDING = {
    "one place that integrates poses": ["src/mechanics/free_motion.cpp"],  # the midpoint rule of free rotation
}

MIDDLE = ("src/mechanics/", "src/soft/", "src/steppers/")
MOST_LINES = 400
CALLER_OF_COLLIDE = "src/collision/touch.cpp"
INTEGRATORS = ("src/math/rotation.hpp", "src/mechanics/integrate.cpp", "src/mechanics/integrate.hpp")

# Who may include whom, directly; what a folder may include, those that include it may include too.
ARROWS = {
    "base": [],
    "math": ["base"],
    "articulation": ["math"],
    "geometry": ["math"],
    "collision": ["geometry"],
    "dynamics": ["collision", "articulation"],
    "problem": ["math"],
    "solvers": ["problem"],
    "laws": ["solvers"],
    "mechanics": ["dynamics", "laws"],
    "soft": ["mechanics"],
    "steppers": ["mechanics"],
    "world": ["soft", "steppers"],
    "wide": ["base"],
}
WIDE_USERS = ("collision", "soft", "wide")
# Outside the core: its public headers only, but for these.
OUTSIDE = {"hdf5": ["problem"], "scene": ["geometry"], "picture": [], "lab": [], "server": [], "export": [],
           "import": ["geometry", "base"], "app": ["problem", "geometry"]}
STEPPERS_USE_SOFT_IN = "src/steppers/registry.cpp"

PRIVATE_NAMES = re.compile(r"\b(unlikeness|fetchAhead|way|brief|stays)\b")
# `MethodSummary::brief` counts brief contacts, as against lasting ones: there it is the word for the thing.
NOT_PRIVATE = re.compile(r"\bmethod\.brief\b")
PRIVATE_MEMBERS = re.compile(r"(\.|->|::)(look|press|take)\(|^\s+(?!\s|return\b|else\b|throw\b)[\w:<>,*&\s]*[\w>*&]\s+[*&]?(look|press|take)\(")
COLLIDE_CALL = re.compile(r"(?<![\w.>:])(cairn::)?collide\(")
COLLIDE_MEMBER = re.compile(r"\b(bool|void)\s+(\w+::)?collide\(")
POSE_STEP = re.compile(r"\brotation\s*=\s*(rotated|cayleyTurned|cayleyTurnedBy)\(")
INCLUDE = re.compile(r'^\s*#\s*include\s+"([a-z0-9_]+)/')


def allowed_folders(folder):
    """All folders that `folder` may include, itself among them."""
    found, todo = set(), [folder]
    while todo:
        one = todo.pop()
        if one not in found:
            found.add(one)
            todo += ARROWS[one]
    if folder in WIDE_USERS:
        found.add("wide")
    return found


def code_lines(text):
    """The lines without comments and texts; as many lines as before."""
    blank = lambda match: '""' if match.group(0).startswith('"') else re.sub(r"[^\n]", "", match.group(0))
    text = re.sub(r'"(?:\\.|[^"\\\n])*"|//[^\n]*|/\*.*?\*/', blank, text, flags=re.S)
    return text.split("\n")


def check_collide(path, text):
    if path == CALLER_OF_COLLIDE or re.match(r"src/collision/(collide\w*\.(cpp|hpp)|manifold\.hpp)$", path):
        return
    lines = code_lines(text)
    # A class with a member of this name calls that one, unless it writes cairn::collide.
    of_class = any(COLLIDE_MEMBER.search(line) for line in lines)
    for number, line in enumerate(lines, 1):
        call = COLLIDE_CALL.search(line)
        if call and not COLLIDE_MEMBER.search(line) and (call.group(1) or not of_class):
            yield number, f"calls collide(): only {CALLER_OF_COLLIDE} does"


def check_poses(path, text):
    if path in INTEGRATORS or not path.startswith(MIDDLE):
        return
    for number, line in enumerate(code_lines(text), 1):
        if POSE_STEP.search(line):
            yield number, f"integrates a pose: only {' or '.join(INTEGRATORS)} does"


def check_includes(path, text):
    folder = path.split("/")[1]
    if folder not in ARROWS and folder not in OUTSIDE:
        yield 1, f"the folder src/{folder} is not in ARROWS or OUTSIDE of this script"
        return
    for number, line in enumerate(text.split("\n"), 1):
        include = INCLUDE.match(line)
        if not include or include.group(1) not in ARROWS:
            continue
        name = include.group(1)
        may = allowed_folders(folder) if folder in ARROWS else OUTSIDE[folder]
        if path == STEPPERS_USE_SOFT_IN:
            may = may | {"soft"}
        if name not in may:
            yield number, f"src/{folder} may not include {name}/"


def check_words(path, text):
    for number, line in enumerate(code_lines(text), 1):
        name = PRIVATE_NAMES.search(NOT_PRIVATE.sub("", line))
        if name:
            yield number, f"private word `{name.group(1)}`: use the field's own"
        member = PRIVATE_MEMBERS.search(line)
        if member and path.startswith(MIDDLE):
            yield number, f"private word `{member.group(2) or member.group(3)}()` as a member function"


def check_length(path, text):
    lines = text.count("\n")
    if path.startswith(MIDDLE) and lines > MOST_LINES:
        yield lines, f"{lines} lines; at most {MOST_LINES}"


RULES = {
    "one caller of collide()": check_collide,
    "one place that integrates poses": check_poses,
    "includes along the arrows": check_includes,
    "the field's own words": check_words,
    "short files": check_length,
}

# (rule, path, text, breaches): so that a rule that no longer sees anything is noticed.
EXAMPLES = [
    ("one caller of collide()", "src/steppers/lcp.cpp", "  collide(a, b);\n", 1),
    ("one caller of collide()", "src/steppers/lcp.cpp", "  // collide(a, b);\n  passes.collide(2);\n", 0),
    ("one caller of collide()", "src/steppers/p.cpp", "bool P::collide(int i) {\n collide(1);\n cairn::collide(a);\n}\n", 1),
    ("one caller of collide()", CALLER_OF_COLLIDE, "  collide(a, b);\n", 0),
    ("one place that integrates poses", "src/soft/soft.cpp", "body.rotation = rotated(body.rotation, dt * body.spin);\n", 1),
    ("one place that integrates poses", "src/mechanics/integrate.hpp", "body.rotation = rotated(q, dt * w);\n", 0),
    ("includes along the arrows", "src/collision/touch.cpp", '#include "wide/width.hpp"\n#include "dynamics/body.hpp"\n', 1),
    ("includes along the arrows", "src/steppers/lcp.cpp", '#include "soft/soft.hpp"\n#include "wide/width.hpp"\n', 2),
    ("includes along the arrows", STEPPERS_USE_SOFT_IN, '#include "soft/soft.hpp"\n#include "base/tasks.hpp"\n', 0),
    ("includes along the arrows", "src/app/run.cpp", '#include "world/state.hpp"\n#include "scene/rule.hpp"\n', 1),
    ("the field's own words", "src/soft/soft.cpp", 'double way = 1;  // brief\nfail("no way");\n', 1),
    ("the field's own words", "src/soft/soft.cpp", "  take(1);\n  return take(2);\n  list.take(3);\n  void look(int i);\n", 2),
    ("short files", "src/soft/soft.cpp", "\n" * (MOST_LINES + 1), 1),
]


def is_pending(rule, path):
    return any(path == entry or (entry.endswith("/") and path.startswith(entry)) for entry in PENDING.get(rule, []))


def main():
    words = [word for word in sys.argv[1:] if word != "--pending"]
    root = os.path.abspath(words[0] if words else os.path.join(os.path.dirname(__file__), "..", ".."))
    failures, pending = [], []
    for rule, path, text, expected in EXAMPLES:
        found = list(RULES[rule](path, text))
        if len(found) != expected:
            failures.append(f"this script: \"{rule}\" finds {len(found)} breaches in {text!r}, not {expected}")
    used = set()
    files = 0
    for folder, _, names in sorted(os.walk(os.path.join(root, "src"))):
        for name in sorted(names):
            if not name.endswith((".cpp", ".hpp")):
                continue
            path = os.path.relpath(os.path.join(folder, name), root).replace(os.sep, "/")
            with open(os.path.join(root, path), encoding="utf-8") as file:
                text = file.read()
            files += 1
            for rule, check in RULES.items():
                for line, message in check(path, text):
                    place = f"{path}:{line}: {message}"
                    if is_pending(rule, path):
                        used.update((rule, entry) for entry in PENDING[rule] if path.startswith(entry))
                        pending.append(f"pending: {place}")
                    else:
                        failures.append(place)
    # Every slow test is a test that there is.
    tests = ""
    for folder, _, names in os.walk(os.path.join(root, "tests")):
        for name in names:
            if name.endswith(".cpp"):
                with open(os.path.join(folder, name), encoding="utf-8") as file:
                    tests += file.read()
    with open(os.path.join(root, "tests", "slow_tests.txt"), encoding="utf-8") as file:
        for name in file.read().split("\n"):
            if name and not name.startswith("#") and not re.search(r"\(\s*" + re.escape(name).replace(r"\.", r",\s*") + r"\s*\)", tests):
                failures.append(f"tests/slow_tests.txt: there is no test {name}")
    for rule, entries in PENDING.items():
        for entry in entries:
            if (rule, entry) not in used:
                print(f"no longer needed: \"{entry}\" of \"{rule}\" in PENDING")
    for line in failures + (pending if "--pending" in sys.argv else []):
        print(line)
    print(f"{files} files, {len(failures)} breaches, {len(pending)} more pending")
    return 1 if failures or files == 0 else 0


if __name__ == "__main__":
    sys.exit(main())
