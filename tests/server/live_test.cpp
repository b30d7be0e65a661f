// The lab over WebSockets: what it tells, who may do what, and that nobody can hold it up.
#include <filesystem>
#include <random>
#include <thread>

#include "lab/replay.hpp"
#include "server/lab_client.hpp"

namespace cairn {
namespace {

using Json = rapidjson::Document;

TEST(Live, TellsANewcomerEverything) {
  const RunningServer server;
  LabClient client(server);
  ASSERT_TRUE(client.isOpen());
  ASSERT_TRUE(client.await("hello"));
  EXPECT_EQ(client.json()["protocol"].GetInt(), 1);
  EXPECT_STREQ(client.json()["scenes"][0]["name"].GetString(), "two_boxes");
  EXPECT_GT(client.json()["scenes"].Size(), 20u);
  EXPECT_STREQ(client.json()["steppers"][0]["name"].GetString(), "soft");
  EXPECT_FALSE(client.json()["steppers"][0]["takesSolver"].GetBool());
  EXPECT_STREQ(client.json()["solvers"][0].GetString(), "auto");
  ASSERT_TRUE(client.await("scene"));
  EXPECT_EQ(client.json()["epoch"].GetInt(), 1);
  EXPECT_EQ(client.json()["bodies"].Size(), 3u);
  ASSERT_TRUE(client.await("state"));
  EXPECT_TRUE(client.json()["controls"].IsNull());
  ASSERT_TRUE(client.awaitFrame());
  EXPECT_EQ(client.epoch, 1u);
  EXPECT_EQ(client.parts, 0u);
  ASSERT_TRUE(client.await("stats"));
  EXPECT_EQ(client.json()["bodies"].GetInt(), 2);
  EXPECT_EQ(client.json()["phases"].Size(), 9u);
}

TEST(Live, SendsThePartsThatAreAskedFor) {
  const RunningServer server;
  LabClient client(server);
  client.send(R"({"do":"see","contacts":true,"islands":false,"boxes":true})");
  EXPECT_TRUE(client.awaitFrame([&] { return client.parts == 5; }));
  client.send(R"({"do":"see"})");
  EXPECT_TRUE(client.awaitFrame([&] { return client.parts == 0; }));
}

TEST(Live, PlaysPausesAndSteps) {
  LabServerOptions options = serverOptions();
  options.playing = false;
  const RunningServer server(std::move(options));
  LabClient client(server);
  client.takeControls();
  client.send(R"({"do":"step","count":7})");
  ASSERT_TRUE(client.await("state", [](const Json& state) { return state["step"].GetInt() == 7; }));
  EXPECT_FALSE(client.json()["playing"].GetBool());
  client.send(R"({"do":"play"})");
  EXPECT_TRUE(client.awaitFrame([&] { return client.step > 20; }));
  client.send(R"({"do":"pause"})");
  EXPECT_TRUE(client.await("state", [](const Json& state) { return !state["playing"].GetBool(); }));
  const int step = client.json()["step"].GetInt();
  client.send(R"({"do":"restart"})");
  ASSERT_TRUE(client.await("scene"));
  EXPECT_EQ(client.json()["epoch"].GetInt(), 2);
  ASSERT_TRUE(client.await("state"));
  EXPECT_EQ(client.json()["step"].GetInt(), 0);
  EXPECT_GT(step, 20);
  EXPECT_TRUE(client.awaitFrame([&] { return client.epoch == 2; }));
}

TEST(Live, EditsAreSeenByAll) {
  const RunningServer server;
  LabClient one(server), other(server);
  one.takeControls();
  ASSERT_TRUE(other.await("scene"));
  one.send(R"({"do":"throw","from":[0,0,9],"velocity":[1,0,0]})");
  ASSERT_TRUE(other.await("bodies"));
  EXPECT_STREQ(other.json()["add"][0]["name"].GetString(), "thrown.1");
  one.send(R"({"do":"set","key":"settings.stepper","value":"lcp"})");
  ASSERT_TRUE(other.await("settings"));
  EXPECT_STREQ(other.json()["settings"]["stepper"].GetString(), "lcp");
  one.send(R"({"do":"pin","body":"top"})");
  ASSERT_TRUE(other.await("state", [](const Json& state) { return state["pinned"].Size() == 1; }));
  one.send(R"({"do":"delete","body":"thrown.1"})");
  ASSERT_TRUE(other.await("bodies", [](const Json& bodies) { return bodies["remove"].Size() == 1; }));
  one.send(R"({"do":"load","scene":"bounce"})");
  ASSERT_TRUE(other.await("scene"));
  EXPECT_STREQ(other.json()["name"].GetString(), "bounce");
  one.send(R"({"do":"load","scene":"two_boxes"})");
  EXPECT_TRUE(one.await("problem")) << "its file is not on the disk, and nothing else may be read";
}

TEST(Live, DraggingMovesABody) {
  const RunningServer server;
  LabClient client(server);
  client.takeControls();
  client.send(R"({"do":"grab","body":"top","at":[0,0,0],"to":[0,0,4]})");
  client.acknowledges = true;
  const auto height = [&] {  // of the second body that moves, above the view's origin: z of its position
    float z;
    std::memcpy(&z, client.message().data() + 32 + 2 * 4 + 12 + 8, sizeof z);
    return z;
  };
  float first = 0.0f;
  ASSERT_TRUE(client.awaitFrame());
  first = height();
  EXPECT_TRUE(client.awaitFrame([&] { return height() > first + 1.5f; }));
}

TEST(Live, ARefusedMethodPausesAndSaysWhy) {
  const RunningServer server;
  LabClient client(server);
  client.takeControls();
  client.send(R"({"do":"set","key":"settings.stepper","value":"gauss"})");
  ASSERT_TRUE(client.await("refusal"));
  EXPECT_NE(std::string(client.json()["text"].GetString()).find("friction"), std::string::npos);
  ASSERT_TRUE(client.await("state", [](const Json& state) { return !state["playing"].GetBool(); }));
  client.send(R"({"do":"set","key":"settings.stepper","value":"soft"})");
  client.send(R"({"do":"play"})");
  const std::uint32_t step = client.step;
  EXPECT_TRUE(client.awaitFrame([&] { return client.step > step + 5; }));
}

TEST(Live, ARestartKeepsTheSettingsAndALoadForgetsThem) {
  const RunningServer server;
  LabClient client(server);
  client.takeControls();
  client.send(R"({"do":"set","key":"settings.stepper","value":"lcp"})");
  client.send(R"({"do":"set","key":"friction","value":0.25})");
  client.send(R"({"do":"restart"})");
  ASSERT_TRUE(client.await("scene"));
  EXPECT_STREQ(client.json()["settings"]["stepper"].GetString(), "lcp");
  EXPECT_EQ(client.json()["settings"]["friction"].GetDouble(), 0.25);
  client.send(R"({"do":"load","scene":"bounce"})");
  ASSERT_TRUE(client.await("scene"));
  EXPECT_TRUE(client.json()["settings"]["friction"].IsNull());
}

TEST(Live, WrongRequestsAreAnsweredAndHarmNobody) {
  const RunningServer server;
  LabClient client(server);
  client.takeControls();
  const std::pair<std::string, std::string> wrong[] = {
      {"nonsense", ""},
      {"{}", ""},
      {R"({"do":"dance"})", "dance"},
      {R"({"do":"step","count":-1})", "step"},
      {R"({"do":"speed","value":"fast"})", "speed"},
      {R"({"do":"load","scene":"/etc/passwd"})", "load"},
      {R"({"do":"load","scene":"../two_boxes.json"})", "load"},
      {R"({"do":"load","scene":"wall","set":{"rows":"many"}})", "load"},
      {R"({"do":"grab","body":"nobody","at":[0,0,0],"to":[0,0,0]})", "grab"},
      {R"({"do":"drag","to":[0,0,1e99]})", "drag"},
      {R"({"do":"set","key":"settings.stepper","value":"magic"})", "set"},
  };
  for (const auto& [text, about] : wrong) {
    client.send(text);
    ASSERT_TRUE(client.await("problem")) << text;
    EXPECT_EQ(client.json()["about"].GetString(), about) << text;
  }
  EXPECT_TRUE(client.awaitFrame());
}

TEST(Live, TenClientsSeeTheSameWorldAndOneHoldsTheControls) {
  const RunningServer server;
  std::vector<std::unique_ptr<LabClient>> clients;
  for (int i = 0; i < 10; ++i) clients.push_back(std::make_unique<LabClient>(server));
  for (auto& client : clients) ASSERT_TRUE(client->id() > 0);
  clients[3]->takeControls();
  clients[4]->send(R"({"do":"pause"})");
  ASSERT_TRUE(clients[4]->await("problem"));
  EXPECT_NE(std::string(clients[4]->json()["text"].GetString()).find("holds the controls"), std::string::npos);
  clients[4]->send(R"({"do":"control"})");
  ASSERT_TRUE(clients[4]->await("problem"));
  clients[3]->send(R"({"do":"pause"})");
  clients[3]->send(R"({"do":"step","count":1})");
  // The last frame of a world at rest is the same for all of them, to the byte.
  std::string last;
  for (auto& client : clients) {
    ASSERT_TRUE(client->await(
        "state", [](const Json& state) { return !state["playing"].GetBool() && state["clients"].GetInt() == 10; }));
    const int step = client->json()["step"].GetInt();
    while (client->step < static_cast<std::uint32_t>(step) + 1) ASSERT_TRUE(client->awaitFrame());
    const std::string poses = client->message().substr(32);
    if (last.empty()) last = poses;
    EXPECT_EQ(poses, last);
  }
}

TEST(Live, TheHolderThatLeavesFreesTheControls) {
  const RunningServer server;
  auto holder = std::make_unique<LabClient>(server);
  LabClient other(server);
  holder->takeControls();
  ASSERT_TRUE(other.await("state", [](const Json& state) { return state["controls"].IsInt(); }));
  holder->vanish();
  EXPECT_TRUE(other.await("state", [](const Json& state) { return state["controls"].IsNull(); }));
  EXPECT_EQ(other.json()["clients"].GetInt(), 1);
  other.takeControls();
}

TEST(Live, ControlsCanBeGivenAwayAndTakenFromAnIdler) {
  LabServerOptions options = serverOptions();
  options.limits.controlsIdle = std::chrono::milliseconds(0);
  const RunningServer server(std::move(options));
  LabClient one(server), other(server);
  one.takeControls();
  other.takeControls();  // at once: nobody may be idle for more than no time at all
  other.send(R"({"do":"yield"})");
  EXPECT_TRUE(one.await("state", [](const Json& state) { return state["controls"].IsNull(); }));
}

TEST(Live, AClientThatAcknowledgesNothingGetsTwoFramesAndTheRestGoesOn) {
  const RunningServer server;
  LabClient silent(server), lively(server);
  silent.acknowledges = false;
  ASSERT_TRUE(lively.awaitFrame([&] { return lively.frame > 30; }));
  int frames = 0;
  for (int stats = 0; stats < 10 && silent.read();) {
    if (silent.isText()) {
      stats += std::string(silent.json()["say"].GetString()) == "stats" ? 1 : 0;
    } else {
      ++frames;
    }
  }
  EXPECT_EQ(frames, 2);
  const std::uint32_t missed = silent.frame;
  silent.send("{\"do\":\"ack\",\"frame\":" + std::to_string(missed) + "}");
  ASSERT_TRUE(silent.awaitFrame());
  EXPECT_GT(silent.frame, missed + 10) << "the newest, not the next";
}

TEST(Live, AClientThatNeverReadsStallsNobody) {
  LabServerOptions options = serverOptions();
  options.limits.queuedMessages = 50;
  options.limits.queuedBytes = 1u << 20;
  const RunningServer server(std::move(options));
  LabClient lively(server);
  std::vector<std::unique_ptr<LabClient>> deaf;
  for (int i = 0; i < 3; ++i) {
    deaf.push_back(std::make_unique<LabClient>(server));
    deaf.back()->socket().set_option(net::socket_base::receive_buffer_size(4096));
  }
  lively.takeControls();
  // Every restart is a message that must not be left out; those who take none of them are let go in the end.
  const auto end = std::chrono::steady_clock::now() + kPatience;
  int clients = 4;
  for (int i = 0; clients > 1 && std::chrono::steady_clock::now() < end; ++i) {
    lively.send(R"({"do":"load","scene":"wall"})");
    ASSERT_TRUE(lively.await("state"));
    clients = lively.json()["clients"].GetInt();
  }
  EXPECT_EQ(clients, 1);
  EXPECT_TRUE(lively.awaitFrame());
}

TEST(Live, HalfOpenClientsAreNoticed) {
  LabServerOptions options = serverOptions();
  options.limits.idle = std::chrono::milliseconds(400);
  const RunningServer server(std::move(options));
  LabClient lively(server);
  LabClient half(server);  // connected, and never answers another ping
  ASSERT_TRUE(lively.await("state", [](const Json& state) { return state["clients"].GetInt() == 2; }));
  EXPECT_TRUE(lively.await("state", [](const Json& state) { return state["clients"].GetInt() == 1; }));
}

TEST(Live, AWebSocketThatIsNeverFinishedIsEnded) {
  LabServerOptions options = serverOptions();
  options.limits.idle = std::chrono::milliseconds(300);
  const RunningServer server(std::move(options));
  RawClient client(server);
  client.send(
      "GET /live HTTP/1.1\r\nHost: localhost\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Key: "
      "dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: 13\r\n\r\n");
  EXPECT_EQ(statusOf(client.readAll()), 101) << "read to its end, so that there was one";
}

TEST(Live, TooLongTooManyAndTooBinaryMessagesEndTheConnection) {
  LabServerOptions options = serverOptions();
  options.limits.messagesPerSecond = 50;
  const RunningServer server(std::move(options));
  // Who is still writing when the server hangs up does not get to read why; one of a few gets all of it out.
  bool allSent = false;
  for (int attempt = 0; attempt < 10 && !allSent; ++attempt) {
    LabClient client(server);
    client.acknowledges = false;
    allSent = client.send("{\"do\":\"see\",\"x\":\"" + std::string(70000, 'x') + "\"}");
    EXPECT_TRUE(client.awaitEnd());
    EXPECT_TRUE(!allSent || client.closeReason().code == websocket::close_code::too_big) << client.end();
  }
  EXPECT_TRUE(allSent);
  {
    LabClient client(server);
    client.sendBinary("hello");
    EXPECT_TRUE(client.awaitEnd());
    EXPECT_EQ(client.closeReason().reason, "only text is understood");
  }
  {
    LabClient client(server);
    client.acknowledges = false;
    for (int i = 0; i < 120 && client.isOpen(); ++i) client.send(R"({"do":"see"})");
    EXPECT_TRUE(client.awaitEnd());
    EXPECT_EQ(client.closeReason().reason, "more than 50 messages in a second");
  }
  LabClient client(server);
  EXPECT_TRUE(client.awaitFrame());
}

TEST(Live, GarbageAfterTheHandshakeEndsTheConnection) {
  LabServerOptions options = serverOptions();
  options.limits.handshake = std::chrono::milliseconds(200);  // also how long a farewell may take
  const RunningServer server(std::move(options));
  const std::string handshake =
      "GET /live HTTP/1.1\r\nHost: localhost\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Key: "
      "dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: 13\r\n\r\n";
  std::mt19937 random(5);
  for (int i = 0; i < 30; ++i) {
    std::string garbage;
    const int length = std::uniform_int_distribution<int>(20, 2000)(random);
    for (int k = 0; k < length; ++k) garbage += static_cast<char>(random());
    garbage[0] = static_cast<char>(0xf3);  // reserved bits and an opcode that does not exist
    RawClient client(server);
    client.send(handshake);
    ASSERT_EQ(statusOf(client.readAll("\r\n\r\n")), 101);
    client.send(garbage);
    client.readAll();
  }
  RawClient hasty(server);
  hasty.send(handshake + "x");
  EXPECT_EQ(statusOf(hasty.readAll()), 400) << "it spoke before it was answered";
  LabClient client(server);
  EXPECT_TRUE(client.awaitFrame());
}

TEST(Live, AnotherOriginIsRefused) {
  const RunningServer server;
  const std::string host = "localhost:" + std::to_string(server.port());
  EXPECT_EQ(LabClient(server, {.host = host, .origin = "http://evil.com"}).status(), 403u);
  EXPECT_EQ(LabClient(server, {.host = "evil.com", .origin = "http://evil.com"}).status(), 403u);
  EXPECT_EQ(LabClient(server, {.host = host, .origin = "null"}).status(), 403u);
  EXPECT_TRUE(LabClient(server, {.host = host, .origin = "http://" + host}).isOpen());
}

TEST(Live, SoManyClientsAndNoMore) {
  LabServerOptions options = serverOptions();
  options.limits.clients = 2;
  const RunningServer server(std::move(options));
  auto first = std::make_unique<LabClient>(server);
  LabClient second(server);
  ASSERT_TRUE(first->id() > 0 && second.id() > 0);
  LabClient third(server);
  EXPECT_TRUE(third.awaitEnd());
  EXPECT_EQ(third.closeReason().reason, "too many clients");
  first->vanish();
  ASSERT_TRUE(second.await("state", [](const Json& state) { return state["clients"].GetInt() == 1; }));
  LabClient fourth(server);
  EXPECT_TRUE(fourth.awaitFrame());
}

TEST(Live, TheSceneBeginsWhenSomebodyWatches) {
  const RunningServer server;
  EXPECT_EQ(statusOf(get(server, "/pictures/wall.png")), 200);  // takes longer than many steps
  LabClient client(server);
  ASSERT_TRUE(client.await("state"));
  EXPECT_EQ(client.json()["step"].GetInt(), 0);
  EXPECT_TRUE(client.awaitFrame([&] { return client.step > 3; }));
}

TEST(Live, WhatIsRecordedReplaysToTheBit) {
  const auto path = std::filesystem::temp_directory_path() / ("cairn_live_" + std::to_string(getpid()) + ".cairnlog");
  const auto second = path.parent_path() / (path.stem().string() + "-2.cairnlog");
  {
    LabServerOptions options = serverOptions();
    options.log = path.string();
    const RunningServer server(std::move(options));
    LabClient client(server);
    client.takeControls();
    EXPECT_EQ(client.json()["recording"].GetString(), path.filename().string());
    client.send(R"({"do":"grab","body":"top","at":[0.5,0,0],"to":[0,0,4]})");
    client.send(R"({"do":"set","key":"settings.stepper","value":"gauss"})");
    ASSERT_TRUE(client.await("refusal"));
    client.send(R"({"do":"set","key":"settings.stepper","value":"velocity"})");
    client.send(R"({"do":"play"})");
    for (int i = 0; i < 20; ++i) {
      client.send(R"({"do":"drag","to":[)" + std::to_string(0.1 * i) + ",0,4]}");
      ASSERT_TRUE(client.awaitFrame());
    }
    client.send(R"({"do":"throw","from":[-3,0,1],"velocity":[10,0,0]})");
    ASSERT_TRUE(client.await("bodies"));
    client.send(R"({"do":"restart"})");
    ASSERT_TRUE(client.await("scene"));
    ASSERT_TRUE(client.awaitFrame([&] { return client.epoch == 2 && client.step > 10; }));
  }
  for (const auto& log : {path, second}) {
    InputLogReader reader(log.string());
    const ReplayResult result = replayLog(reader);
    EXPECT_FALSE(result.firstDifferent.has_value()) << *result.firstDifferent << ": " << result.difference;
    EXPECT_TRUE(result.isComplete);
    EXPECT_GE(result.steps, 10);
    EXPECT_GE(result.edits, log == path ? 5 : 1);
    std::filesystem::remove(log);
  }
}

TEST(Live, EndsWhileClientsAreThere) {
  auto server = std::make_unique<RunningServer>();
  LabClient client(*server);
  ASSERT_TRUE(client.awaitFrame());
  std::thread ending([&] { server.reset(); });
  EXPECT_TRUE(client.awaitEnd());
  ending.join();
  EXPECT_EQ(client.closeReason().reason, "the server ends");
}

}  // namespace
}  // namespace cairn
