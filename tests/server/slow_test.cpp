// Steps that take long, and those who would make them so: the lab says it, goes back, and keeps answering.
#include <sys/resource.h>

#include <thread>

#include "server/lab_client.hpp"

namespace cairn {
namespace {

using Json = rapidjson::Document;
using SteadyClock = std::chrono::steady_clock;

double secondsSince(SteadyClock::time_point start) {
  return std::chrono::duration<double>(SteadyClock::now() - start).count();
}

// A heap whose contacts no solver gets to 1e-15.
constexpr const char* kHeap = R"({"cairn": 1,
  "settings": {"solver": {"name": "jacobi", "tolerance": 1e-15, "iterations": 1000000000}}, "bodies": [
    {"name": "floor", "kind": "static", "shape": {"type": "plane"}},
    {"name": "b", "shape": {"type": "box", "size": [0.5, 0.5, 0.5]},
     "pattern": {"type": "wall", "columns": 10, "rows": 10}}]})";

LabServerOptions heapOptions() {
  LabServerOptions options = serverOptions();
  options.scene.origin = {"heap.json", {}, {{"heap.json", kHeap}}};
  options.scene.model = reopen(options.scene.origin);
  options.limits.steps.slow = std::chrono::milliseconds(200);
  return options;
}

std::string setStepper(const std::string& name) {
  return R"({"do":"set","key":"settings.stepper","value":")" + name + "\"}";
}

TEST(Slow, AMethodThatNeverEndsCanBeLeft) {
  const RunningServer server(heapOptions());
  LabClient client(server), watcher(server);
  client.takeControls();
  ASSERT_TRUE(client.awaitFrame([&] { return client.step > 2; }));
  client.send(setStepper("velocity"));
  ASSERT_TRUE(client.await("slow", [](const Json& slow) { return slow["seconds"].GetDouble() >= 0.2; }));
  ASSERT_TRUE(watcher.await("slow"));
  const SteadyClock::time_point asked = SteadyClock::now();
  client.send(setStepper("soft"));
  ASSERT_TRUE(client.await("slow", [](const Json& slow) { return slow["seconds"].GetDouble() == 0.0; }));
  EXPECT_LT(secondsSince(asked), 1.0);
  ASSERT_TRUE(client.await("settings", [](const Json& all) { return all["settings"]["stepper"] == "soft"; }));
  const std::uint32_t step = client.step;
  EXPECT_TRUE(client.awaitFrame([&] { return client.step > step + 3; })) << "and on it goes";
}

TEST(Slow, PausingRestartingAndLoadingEndALongStep) {
  const RunningServer server(heapOptions());
  LabClient client(server);
  client.takeControls();
  for (const char* request : {R"({"do":"pause"})", R"({"do":"restart"})", R"({"do":"load","scene":"incline"})"}) {
    client.send(setStepper("velocity"));
    client.send(R"({"do":"play"})");
    ASSERT_TRUE(client.await("slow")) << request;
    const SteadyClock::time_point asked = SteadyClock::now();
    client.send(request);
    ASSERT_TRUE(client.await("slow", [](const Json& slow) { return slow["seconds"].GetDouble() == 0.0; })) << request;
    EXPECT_LT(secondsSince(asked), 1.0) << request;
  }
  ASSERT_TRUE(client.await("scene", [](const Json& scene) { return scene["name"] == "incline"; }));
}

TEST(Slow, WhoeverComesDuringALongStepIsToldAndSeesTheScene) {
  const RunningServer server(heapOptions());
  LabClient client(server);
  client.takeControls();
  client.send(setStepper("velocity"));
  ASSERT_TRUE(client.await("slow"));
  LabClient late(server);
  ASSERT_TRUE(late.await("slow"));
  EXPECT_TRUE(late.await("scene"));
}

TEST(Slow, TheServerEndsInTheMiddleOfAStep) {
  std::optional<RunningServer> server(heapOptions());
  LabClient client(*server);
  client.takeControls();
  client.send(setStepper("velocity"));
  ASSERT_TRUE(client.await("slow"));
  const SteadyClock::time_point asked = SteadyClock::now();
  server.reset();
  EXPECT_LT(secondsSince(asked), 1.0);
}

// 1,500 boxes at one point took 8 s a step and 4 GiB: no more are taken once a step takes too long.
TEST(Slow, BodiesAreTakenAsLongAsStepsAreShort) {
  LabServerOptions options = serverOptions();
  options.limits.steps.adding = std::chrono::milliseconds(10);
  const RunningServer server(std::move(options));
  LabClient client(server);
  client.takeControls();
  int refused = 0, sent = 0;
  rusage before{}, after{};
  getrusage(RUSAGE_SELF, &before);
  const SteadyClock::time_point start = SteadyClock::now();
  while (refused < 50 && sent < 1500 && secondsSince(start) < 15.0) {
    for (int i = 0; i < 50; ++i, ++sent) client.send(R"({"do":"add","shape":"box","at":[0,0,5],"size":1})");
    // The answer to this one comes after those to the others.
    client.send(R"({"do":"unpin","body":"nobody"})");
    for (bool isLast = false; !isLast && client.read();) {
      if (!client.isText() || std::string("problem") != client.json()["say"].GetString()) continue;
      isLast = std::string("unpin") == client.json()["about"].GetString();
      if (!isLast) ++refused;
    }
  }
  getrusage(RUSAGE_SELF, &after);
  EXPECT_GE(refused, 50) << "after " << sent;
  EXPECT_LT(after.ru_maxrss - before.ru_maxrss, 1 << 20) << "KiB";
  const SteadyClock::time_point asked = SteadyClock::now();
  client.send(R"({"do":"restart"})");
  ASSERT_TRUE(client.await("scene"));
  EXPECT_LT(secondsSince(asked), 2.0);
}

TEST(Slow, SoManyBodiesFromOneStepToTheNextAndNoMore) {
  LabServerOptions options = serverOptions();
  options.playing = false;
  options.limits.steps.addedAtOnce = 3;
  const RunningServer server(std::move(options));
  LabClient client(server);
  client.takeControls();
  for (int i = 0; i < 4; ++i) client.send(R"({"do":"throw","from":[0,0,9],"velocity":[1,0,0]})");
  ASSERT_TRUE(client.await("problem"));
  EXPECT_NE(std::string(client.json()["text"].GetString()).find("3 bodies were added since the last step"),
            std::string::npos);
  client.send(R"({"do":"step","count":1})");
  // Until the step is made, which is not said, bodies are refused as before.
  bool isTaken = false;
  for (int i = 0; i < 20 && !isTaken; ++i) {
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
    client.send(R"({"do":"throw","from":[0,0,9],"velocity":[1,0,0]})");
    for (bool isAnswered = false; !isAnswered && client.read();) {
      if (!client.isText()) continue;
      isTaken = std::string("bodies") == client.json()["say"].GetString();
      isAnswered = isTaken || std::string("problem") == client.json()["say"].GetString();
    }
  }
  EXPECT_TRUE(isTaken);
}

TEST(Slow, AStepThatTakesTooMuchMemoryIsStopped) {
  LabServerOptions options = serverOptions();
  options.playing = false;
  options.limits.steps.memory = std::size_t{64} << 20;
  options.limits.steps.addedAtOnce = 1500;
  options.limits.messagesPerSecond = 100000;
  const RunningServer server(std::move(options));
  LabClient client(server);
  client.takeControls();
  for (int i = 0; i < 1200; ++i) client.send(R"({"do":"add","shape":"box","at":[0,0,5],"size":1})");
  client.send(R"({"do":"play"})");
  ASSERT_TRUE(client.await("refusal"));
  EXPECT_NE(std::string(client.json()["text"].GetString()).find("memory"), std::string::npos);
  ASSERT_TRUE(client.await("state", [](const Json& state) { return !state["playing"].GetBool(); }));
  client.send(R"({"do":"restart"})");
  ASSERT_TRUE(client.await("scene"));
}

}  // namespace
}  // namespace cairn
