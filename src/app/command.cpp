#include "app/command.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <new>
#include <ostream>

#include "app/bad_input.hpp"
#include "app/commands.hpp"
#include "app/import.hpp"
#include "cairn/options.hpp"
#include "export/recording.hpp"
#include "scene/scene_error.hpp"
#include "scene/suggest.hpp"

namespace cairn {
namespace {

constexpr const char* kAbout =
    "Cairn simulates rigid bodies with joints, contact and friction, and says after every run how wrong it was.\n"
    "SCENE is a name from `cairn list` or the path of a scene file.";

// Everything the parser fills.
struct Arguments {
  RunArguments run;
  ExportArguments convert;
  CompareArguments compare;
  SolveArguments solve;
  QueryArguments query;
  ViewArguments view;
  MeshArguments mesh;
  ImportArguments import;
  std::string replayLog;
  bool replayQuiet = false;
  std::string infoScene;
  std::vector<std::string> infoSet;
  std::vector<std::string> checkFiles;
  bool reference = false;
  CLI::App* bench = nullptr;  // what follows it is for another program
};

void declare(CLI::App& app, Arguments& arguments) {
  app.require_subcommand(0, 1);
  app.set_version_flag("--version", std::string("cairn ") + CAIRN_VERSION);

  const auto optionOf = [](CLI::App* command, const char* name, std::optional<std::string>& target, const char* type,
                           const std::string& what) {
    command
        ->add_option_function<std::string>(
            name, [&target](const std::string& text) { target = text; }, what)
        ->type_name(type);
  };
  const auto sceneOptions = [&](CLI::App* command, SceneArguments& target) {
    command->add_option("SCENE", target.scene, "gallery name or file")->required();
    command
        ->add_option("--set", target.set,
                     "key=value: a parameter of the scene, or settings.* (cairn schema --reference lists them); may be "
                     "repeated")
        ->type_name("KEY=VALUE")
        ->take_all()
        ->allow_extra_args(false);
    optionOf(command, "--solver", target.solver, "NAME", "the contact solver, for steppers that let it be chosen");
    optionOf(command, "--seconds", target.seconds, "T", "how long to simulate");
    optionOf(command, "--dt", target.dt, "H", "length of a step in s");
    const Option& threads = *findOption("", "threads");
    optionOf(command, "--threads", target.threads, "N",
             fmt::format("threads, {:g} to {:g}; {}", threads.least, threads.most, threads.meaning));
    command->add_flag("--quiet", target.quiet, "print nothing but errors");
  };

  CLI::App* run = app.add_subcommand("run", "Simulate a scene and report");
  sceneOptions(run, arguments.run);
  optionOf(run, "--stepper", arguments.run.stepper, "NAME", "the time-stepping method");
  run->add_option(
         "--record", arguments.run.record,
         "write the motion of every body: .csv, .h5 (with contacts and diagnostics), .glb or .gltf (animation), .mp4 "
         "or .webm (video); may be repeated")
      ->type_name("FILE")
      ->take_all()
      ->allow_extra_args(false);
  optionOf(run, "--every", arguments.run.every, "N", "record every N-th step only");
  optionOf(run, "--size", arguments.run.size, "WxH", "size of a video in pixels (default 1280x720)");
  optionOf(run, "--replay", arguments.run.replay, "FILE",
           "write a page that plays the run back, with plots and the report, as HTML");
  optionOf(run, "--replay-fps", arguments.run.replayFps, "N",
           "frames of the replay per simulated second (default 30, fewer for long runs of many bodies)");
  optionOf(run, "--picture", arguments.run.picture, "FILE", "draw the world as it is at the end, as PNG");
  optionOf(run, "--report", arguments.run.report, "FILE", "write the report as JSON");
  optionOf(run, "--dump-problem", arguments.run.dumpProblem, "N", "write the contact problems of step N to SCENE-stepN.h5");

  CLI::App* convert =
      app.add_subcommand("export", "Convert a recording (.h5) into a table, a page, an animation or a video");
  convert->add_option("RECORDING", arguments.convert.recording, "what `cairn run --record FILE.h5` wrote")->required();
  convert->add_option("OUT", arguments.convert.out, "a path that ends in .csv, .html, .glb, .gltf, .mp4 or .webm")
      ->required();
  optionOf(convert, "--replay-fps", arguments.convert.replayFps, "N", "frames per simulated second of .html, as in run");
  optionOf(convert, "--size", arguments.convert.size, "WxH", "size of a video in pixels (default 1280x720)");
  convert->add_flag("--quiet", arguments.convert.quiet, "print nothing but errors");

  CLI::App* compare = app.add_subcommand("compare", "Simulate a scene with every time-stepping method, and compare");
  sceneOptions(compare, arguments.compare);
  compare->add_option("--steppers", arguments.compare.steppers, "all, or names separated by commas (default: all)")
      ->type_name("NAMES")
      ->take_all()
      ->allow_extra_args(false);
  optionOf(compare, "--limit-s", arguments.compare.limitS, "S",
           "most wall-clock time for one method; 0: no limit (default 60)");
  optionOf(compare, "--report", arguments.compare.report, "FILE", "write a page with table and plots, as HTML");
  optionOf(compare, "--json", arguments.compare.json, "FILE", "write the results as JSON");

  CLI::App* solve = app.add_subcommand("solve", "Solve contact problems from files with one solver or many, and compare");
  solve->add_option("FILE", arguments.solve.files, "contact problems: text (.fcp) or HDF5")->required();
  solve
      ->add_option("--solver", arguments.solve.solver,
                   "all, or names separated by commas, each with options perhaps: bgs:order=random,seed=3,lemke; may be "
                   "repeated (default: auto)")
      ->type_name("NAMES")
      ->take_all()
      ->allow_extra_args(false);
  optionOf(solve, "--tolerance", arguments.solve.tolerance, "T", "largest residual that counts as solved (default 1e-8)");
  optionOf(solve, "--limit-ms", arguments.solve.limitMs, "MS", "most time for one solve; 0: no limit (default 10000)");
  optionOf(solve, "--iterations", arguments.solve.iterations, "N", "most iterations (default: the solver's own)");
  optionOf(solve, "--plot", arguments.solve.plot, "FILE",
           "draw an SVG: convergence for one problem, a performance profile for several");
  optionOf(solve, "--report", arguments.solve.report, "FILE", "write the results as JSON");
  solve->add_flag("--quiet", arguments.solve.quiet, "print nothing but errors");

  CLI::App* query = app.add_subcommand("query", "Ask a scene: rays, casts, overlaps, closest points");
  sceneOptions(query, arguments.query);
  const auto questions = [&](const char* name, std::vector<std::string>& target, const char* type, const char* what) {
    query->add_option(name, target, what)->type_name(type)->take_all()->allow_extra_args(false);
  };
  optionOf(query, "--at", arguments.query.at, "T", "the time in s that the questions are about (default 0)");
  questions("--ray", arguments.query.ray, "X,Y,Z:DX,DY,DZ[:LENGTH]", "what a ray hits first; may be repeated");
  query->add_flag("--all", arguments.query.all, "all that rays hit, not just the first");
  questions("--cast", arguments.query.cast, "SHAPE:X,Y,Z:VX,VY,VZ[:WX,WY,WZ[:SECONDS]]",
            "what a moving shape touches first: sphere=R, box=X,Y,Z, capsule=R,H, cylinder=R,H or ellipsoid=X,Y,Z; may be "
            "repeated");
  questions("--overlap", arguments.query.overlap, "SHAPE:X,Y,Z[:MARGIN]", "what touches a shape, and how deep");
  questions("--closest", arguments.query.closest, "X,Y,Z | NAME:NAME", "what is closest to a point, or how close two bodies are");
  optionOf(query, "--report", arguments.query.report, "FILE", "write the answers as JSON");

  CLI::App* view = app.add_subcommand("view", "Play with a scene in the browser");
  view->add_option("SCENE", arguments.view.scene, "gallery name or file (default: tower)");
  view->add_option("--set", arguments.view.set, "as in run")->type_name("KEY=VALUE")->take_all()->allow_extra_args(false);
  optionOf(view, "--port", arguments.view.port, "N", "where to listen (default: 8080, or the next that is free)");
  optionOf(view, "--host", arguments.view.host, "ADDRESS",
           "listen on this address, so that other machines can come; needs --token (default: this machine only)");
  optionOf(view, "--token", arguments.view.token, "T", "a secret that pages must have in their address");
  optionOf(view, "--log", arguments.view.log, "FILE", "record what is done, for cairn replay: a .cairnlog");
  view->add_flag("--paused", arguments.view.paused, "wait for somebody to press play");
  view->add_flag("--no-browser", arguments.view.noBrowser, "print the address and open nothing");

  CLI::App* import =
      app.add_subcommand("import", "Read a robot (URDF, MJCF, SDFormat) and say what it holds and what cannot be represented");
  import->add_option("FILE", arguments.import.file, "a .urdf, .xml or .sdf file")->required();
  import
      ->add_option("--package-path", arguments.import.packagePaths,
                   "a folder of packages, or NAME=FOLDER for one, for package:// names; may be repeated")
      ->type_name("FOLDER")
      ->take_all()
      ->allow_extra_args(false);
  optionOf(import, "--base", arguments.import.base, "KIND", "fixed or floating (default: as the file says; URDF: fixed)");
  optionOf(import, "--report", arguments.import.report, "FILE", "write bodies, joints, masses and all remarks as JSON");
  import->add_flag("--allow-missing", arguments.import.allowMissing, "go on although something cannot be represented");
  import->add_flag("--quiet", arguments.import.quiet, "print nothing but what is missing, and errors");

  CLI::App* replay = app.add_subcommand("replay", "Do again what a .cairnlog says, and compare every step to the bit");
  replay->add_option("FILE", arguments.replayLog, "a log of cairn view or cairn run")->required();
  replay->add_flag("--quiet", arguments.replayQuiet, "print nothing but errors");

  CLI::App* mesh = app.add_subcommand("mesh", "Examine a mesh file: defects, volume, inertia, hull and convex parts");
  mesh->add_option("FILE", arguments.mesh.file, ".obj, .stl, .ply, .gltf, .glb or .dae")->required();
  optionOf(mesh, "--scale", arguments.mesh.scale, "S", "metres per unit of the file (default 1)");
  optionOf(mesh, "--unit", arguments.mesh.unit, "NAME", "the file's unit: m, dm, cm, mm, um, in or ft");
  mesh->add_flag("--y-up", arguments.mesh.yUp, "the file's y axis is up, as in glTF");
  optionOf(mesh, "--density", arguments.mesh.density, "D", "in kg/m3 (default 1000)");
  mesh->add_flag("--decompose", arguments.mesh.decompose, "cut it into convex parts, and measure them");
  optionOf(mesh, "--concavity", arguments.mesh.concavity, "C",
           "how hollow a part may be, as a share of the mesh's diagonal (default 0.02); implies --decompose");
  optionOf(mesh, "--vertices", arguments.mesh.vertices, "N", "most vertices of a hull (default 64)");
  mesh->add_flag("--no-cache", arguments.mesh.noCache, "cut anew, and keep nothing in the cache");
  optionOf(mesh, "-o,--out", arguments.mesh.out, "FILE", "write the convex parts as OBJ; implies --decompose");
  optionOf(mesh, "--picture", arguments.mesh.picture, "FILE", "draw the mesh, or its parts, as PNG");
  optionOf(mesh, "--report", arguments.mesh.report, "FILE", "write the findings as JSON");
  mesh->add_flag("--quiet", arguments.mesh.quiet, "print nothing but errors");

  app.add_subcommand("list", "List the gallery");

  CLI::App* info = app.add_subcommand("info", "Describe a scene: bodies, masses, settings, parameters");
  info->add_option("SCENE", arguments.infoScene, "gallery name or file")->required();
  info->add_option("--set", arguments.infoSet, "as in run")->type_name("KEY=VALUE")->take_all()->allow_extra_args(false);

  CLI::App* check = app.add_subcommand("check", "Check scene files without running them");
  check->add_option("FILE", arguments.checkFiles, "files or gallery names")->required();

  arguments.bench = app.add_subcommand("bench", "Measure Cairn beside Bullet, ODE and MuJoCo (see cairn bench --help)");
  arguments.bench->prefix_command();
  arguments.bench->set_help_flag();

  CLI::App* schema = app.add_subcommand("schema", "Print the JSON schema of scene files");
  schema->add_flag("--reference", arguments.reference, "print the fields as Markdown tables instead");
}

std::vector<std::string_view> subcommandNames() {
  return {"run",   "view",  "replay", "export", "import", "compare", "solve",
          "query", "bench", "mesh",   "list",   "info",   "check",   "schema"};
}

// CLI11 knows that an argument is wrong; what may have been meant is ours to say.
std::string explain(const CLI::App& app, const std::vector<std::string>& given, const CLI::ParseError& error) {
  const CLI::App* active = &app;
  for (const CLI::App* one : app.get_subcommands()) active = one;
  for (const std::string& word : given) {
    if (active == &app) {
      if (word.empty() || word[0] == '-') continue;
      const auto names = subcommandNames();
      return fmt::format("\"{}\" is no command{}{} allowed: {}", word, suggestion(word, names),
                         nearestName(word, names).empty() ? ";" : "", listNames(names));
    }
    if (word.size() < 3 || word.compare(0, 2, "--") != 0) continue;
    const std::string name = word.substr(0, word.find('='));
    std::vector<std::string> known;
    for (const CLI::Option* one : active->get_options()) {
      if (!one->get_lnames().empty()) known.push_back("--" + one->get_lnames().front());
    }
    if (std::find(known.begin(), known.end(), name) != known.end()) continue;
    const std::vector<std::string_view> names(known.begin(), known.end());
    return fmt::format("{}: unknown option{}{} allowed: {}", name, suggestion(name, names),
                       nearestName(name, names).empty() ? ";" : "", listNames(names));
  }
  return fmt::format("{} (see cairn {}--help)", error.what(), active == &app ? "" : active->get_name() + " ");
}

int dispatch(const CLI::App& app, const Arguments& arguments, std::ostream& out, std::ostream& err) {
  if (app.got_subcommand("run")) return commandRun(arguments.run, out, err);
  if (app.got_subcommand("export")) return commandExport(arguments.convert, out, err);
  if (app.got_subcommand("import")) return commandImport(arguments.import, out, err);
  if (app.got_subcommand("compare")) return commandCompare(arguments.compare, out, err);
  if (app.got_subcommand("solve")) return commandSolve(arguments.solve, out, err);
  if (app.got_subcommand("query")) return commandQuery(arguments.query, out, err);
  if (app.got_subcommand("bench")) return commandBench(arguments.bench->remaining(), err);
  if (app.got_subcommand("view")) return commandView(arguments.view, out, err);
  if (app.got_subcommand("mesh")) return commandMesh(arguments.mesh, out);
  if (app.got_subcommand("replay")) return commandReplay(arguments.replayLog, arguments.replayQuiet, out, err);
  if (app.got_subcommand("list")) return commandList(out);
  if (app.got_subcommand("info")) return commandInfo(arguments.infoScene, arguments.infoSet, out);
  if (app.got_subcommand("check")) return commandCheck(arguments.checkFiles, out, err);
  if (app.got_subcommand("schema")) return commandSchema(arguments.reference, out);
  out << app.help();
  return kExitOk;
}

int parseAndRun(const std::vector<std::string>& given, std::ostream& out, std::ostream& err) {
  CLI::App app(kAbout, "cairn");
  Arguments arguments;
  declare(app, arguments);
  try {
    std::vector<std::string> reversed(given.rbegin(), given.rend());  // what this overload wants
    app.parse(reversed);
  } catch (const CLI::Success& success) {  // help and version
    app.exit(success, out, err);
    return kExitOk;
  } catch (const CLI::ParseError& error) {
    throw BadInput(explain(app, given, error));
  }
  return dispatch(app, arguments, out, err);
}

}  // namespace

int runCommand(std::vector<std::string> arguments, std::ostream& out, std::ostream& err) {
  int code = kExitInternal;
  try {
    code = parseAndRun(arguments, out, err);
    out.flush();
    if (!out) {
      err << "cairn: the output could not be written\n";
      code = kExitInternal;
    }
  } catch (const SceneError& error) {
    err << "cairn: " << error.what() << "\n";
    code = kExitBadInput;
  } catch (const BadInput& error) {
    err << "cairn: " << error.what() << "\n";
    code = kExitBadInput;
  } catch (const OutputFailure& error) {
    err << "cairn: " << error.what() << "\n";
  } catch (const ExportFailure& error) {
    err << "cairn: " << error.what() << "\n";
  } catch (const std::bad_alloc&) {
    err << "cairn: this machine has too little memory for the scene\n";
  } catch (const std::exception& error) {
    err << "cairn: something went wrong inside cairn, which should not happen; please report it with this line: "
        << error.what() << "\n";
  } catch (...) {
    err << "cairn: something went wrong inside cairn, which should not happen; please report it\n";
  }
  err.flush();
  return code;
}

}  // namespace cairn
