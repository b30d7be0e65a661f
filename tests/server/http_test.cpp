// What browsers and others may fetch, and what they are refused.
#include <filesystem>

#include "server/access.hpp"
#include "server/lab_client.hpp"

namespace cairn {
namespace {

bool has(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

TEST(Access, HostsThatAreThisMachineMayBeAsked) {
  const AccessRules own{"127.0.0.1", {}};
  for (const char* good :
       {"localhost", "localhost:8080", "LOCALHOST:1", "127.0.0.1", "127.0.0.1:8080", "127.8.9.1", "[::1]", "[::1]:8080"}) {
    EXPECT_TRUE(isHostAllowed(good, own)) << good;
  }
  for (const char* bad :
       {"", ":80", "evil.com", "evil.com:8080", "localhost.evil.com", "127.0.0.1.evil.com", "10.0.0.1",
        "localhost:", "localhost:80x", "localhost:1234567", "[::1", "[::2]", "localhost@evil.com", "127.0.0.1:80:80"}) {
    EXPECT_FALSE(isHostAllowed(bad, own)) << bad;
  }
  const AccessRules named{"192.168.1.7", "secret-token"};
  EXPECT_TRUE(isHostAllowed("192.168.1.7:8080", named));
  EXPECT_FALSE(isHostAllowed("192.168.1.8:8080", named));
  const AccessRules all{"0.0.0.0", "secret-token"};
  EXPECT_TRUE(isHostAllowed("192.168.1.8:8080", all)) << "an address cannot be rebound";
  EXPECT_FALSE(isHostAllowed("evil.com:8080", all));
}

TEST(Access, OnlyOurOwnPageMayConnect) {
  EXPECT_TRUE(isOriginAllowed(std::nullopt, "localhost:8080"));
  EXPECT_TRUE(isOriginAllowed("http://localhost:8080", "localhost:8080"));
  for (const char* bad : {"", "null", "http://evil.com", "https://localhost:8080", "http://localhost:8081",
                          "http://localhost", "http://localhost:8080.evil.com", "file://", "localhost:8080"}) {
    EXPECT_FALSE(isOriginAllowed(bad, "localhost:8080")) << bad;
  }
}

TEST(Access, TokensAreComparedWhole) {
  const AccessRules rules{"0.0.0.0", "secret-token"};
  EXPECT_TRUE(isTokenRight("/live?token=secret-token", rules));
  EXPECT_TRUE(isTokenRight("/live?a=b&token=secret%2dtoken", rules));
  for (const char* bad : {"/live", "/live?token=", "/live?token=secret-toke", "/live?token=secret-token1",
                          "/live?token=secret-tokensecret-token", "/live?xtoken=secret-token", "/live?token", "/live?"}) {
    EXPECT_FALSE(isTokenRight(bad, rules)) << bad;
  }
  EXPECT_TRUE(isTokenRight("/live", {"127.0.0.1", {}}));
}

TEST(Http, ServesThePageWithStrictHeaders) {
  const RunningServer server;
  const std::string response = get(server, "/");
  EXPECT_EQ(statusOf(response), 200);
  EXPECT_TRUE(has(response, "<title>test page</title>"));
  for (const char* header :
       {"Content-Security-Policy: default-src 'none'", "frame-ancestors 'none'", "X-Content-Type-Options: nosniff",
        "Referrer-Policy: no-referrer", "Content-Type: text/html; charset=utf-8"}) {
    EXPECT_TRUE(has(response, header)) << header;
  }
  EXPECT_EQ(statusOf(get(server, "/?token=whatever")), 200);
}

TEST(Http, DrawsPicturesOfTheGalleryOnly) {
  const RunningServer server;
  const std::string picture = get(server, "/pictures/bounce.png");
  EXPECT_EQ(statusOf(picture), 200);
  EXPECT_TRUE(has(picture, "Content-Type: image/png"));
  const std::size_t body = picture.find("\r\n\r\n") + 4;
  EXPECT_EQ(picture.substr(body, 4), "\x89PNG");
  EXPECT_EQ(get(server, "/pictures/bounce.png").substr(body), picture.substr(body)) << "from memory";
  EXPECT_EQ(statusOf(get(server, "/pictures/nonsense.png")), 404);
}

TEST(Http, NothingElseIsThere) {
  const RunningServer server;
  for (const char* target :
       {"/x", "/index.html", "/../etc/passwd", "/pictures/../../etc/passwd", "/pictures/%2e%2e/x.png", "/pictures/.png",
        "/pictures/", "//", "/pictures//etc/passwd.png", "*", "http://evil.com/", "/live/"}) {
    EXPECT_EQ(statusOf(get(server, target)), 404) << target;
  }
  EXPECT_EQ(statusOf(get(server, "/live")), 426) << "a WebSocket is expected there";
}

TEST(Http, OnlyGetIsUnderstood) {
  const RunningServer server;
  for (const char* method : {"POST", "PUT", "DELETE", "OPTIONS", "HEAD", "PATCH", "TRACE", "CONNECT"}) {
    const std::string response =
        fetch(server, std::string(method) + " / HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n");
    EXPECT_EQ(statusOf(response), 405) << method;
    EXPECT_TRUE(has(response, "Allow: GET")) << method;
  }
}

TEST(Http, AnotherHostOrOriginIsRefused) {
  const RunningServer server;
  EXPECT_EQ(statusOf(get(server, "/", "Host: evil.com\r\n")), 403);
  EXPECT_EQ(statusOf(get(server, "/", "Origin: http://evil.com\r\n")), 403);
  EXPECT_EQ(statusOf(fetch(server, "GET / HTTP/1.1\r\nConnection: close\r\n\r\n")), 403) << "no Host at all";
}

TEST(Http, TooMuchIsRefusedAndNonsenseEndsTheConnection) {
  const RunningServer server;
  EXPECT_EQ(statusOf(get(server, "/", "X-Long: " + std::string(20000, 'x') + "\r\n")), 431);
  EXPECT_EQ(statusOf(fetch(server, "GET / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 100000\r\n\r\n")), 413);
  for (const std::string& garbage :
       {std::string(5000, '\0'), std::string("\x16\x03\x01\x02\x00\x01\x00", 7) + std::string(300, 'x'),
        std::string("\r\n\r\n\r\n"), std::string("GET\r\n\r\n"), std::string("GET / HTTP/9.9\r\n\r\n"),
        std::string(3000, '\xff')}) {
    const std::string response = fetch(server, garbage);
    EXPECT_TRUE(response.empty() || statusOf(response) == 400) << response.substr(0, 100);
  }
  EXPECT_EQ(statusOf(get(server, "/")), 200) << "it is still there";
}

TEST(Http, AConnectionThatSaysNothingIsEnded) {
  LabServerOptions options = serverOptions();
  options.limits.request = std::chrono::milliseconds(200);
  const RunningServer server(std::move(options));
  EXPECT_EQ(fetch(server, ""), "");
  EXPECT_EQ(fetch(server, "GET / HT"), "") << "half a request";
}

TEST(Http, SoManyConnectionsAndNoMore) {
  LabServerOptions options = serverOptions();
  options.limits.connections = 4;
  const RunningServer server(std::move(options));
  {
    std::vector<std::unique_ptr<LabClient>> guests;
    for (int i = 0; i < 4; ++i) guests.push_back(std::make_unique<LabClient>(server));
    EXPECT_EQ(get(server, "/"), "") << "the fifth is closed at once";
  }
  const auto end = std::chrono::steady_clock::now() + kPatience;
  int status = 0;
  while (status != 200 && std::chrono::steady_clock::now() < end) status = statusOf(get(server, "/"));
  EXPECT_EQ(status, 200) << "their places are free again";
}

// Sockets that say nothing, or half a request, keep nobody out.
TEST(Http, IdleConnectionsMakeRoom) {
  const RunningServer server;
  LabClient guest(server);
  ASSERT_TRUE(guest.await("scene"));
  std::vector<std::unique_ptr<RawClient>> idle;
  for (int i = 0; i < 300; ++i) {
    idle.push_back(std::make_unique<RawClient>(server));
    if (i % 2 == 0) idle.back()->send("GET / HT");
  }
  for (int i = 0; i < 20; ++i) {
    const auto start = std::chrono::steady_clock::now();
    EXPECT_EQ(statusOf(get(server, "/")), 200);
    EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(1));
  }
  LabClient late(server);
  EXPECT_TRUE(late.await("scene"));
  EXPECT_TRUE(guest.awaitFrame()) << "and those who were there stay";
}

TEST(Server, OtherMachinesOnlyWithAToken) {
  LabServerOptions open = serverOptions();
  open.host = "0.0.0.0";
  EXPECT_THROW(LabServer{std::move(open)}, ServerError);
  LabServerOptions nonsense = serverOptions();
  nonsense.host = "evil.com";
  EXPECT_THROW(LabServer{std::move(nonsense)}, ServerError);
  LabServerOptions guarded = serverOptions();
  guarded.host = "0.0.0.0";
  guarded.token = "secret-token";
  const RunningServer server(std::move(guarded));
  EXPECT_TRUE(has(server.address(), "?token=secret-token"));
  EXPECT_EQ(LabClient(server, {.target = "/live"}).status(), 403u);
  EXPECT_EQ(LabClient(server, {.target = "/live?token=wrong-token-"}).status(), 403u);
  EXPECT_TRUE(LabClient(server, {.target = "/live?token=secret-token"}).isOpen());
}

TEST(Server, TakesTheNextPortIfOneIsTaken) {
  const RunningServer first;
  LabServerOptions options = serverOptions();
  options.port = first.port();
  EXPECT_THROW(LabServer{options}, ServerError);
  options.portsToTry = 50;
  const RunningServer second(std::move(options));
  EXPECT_GT(second.port(), first.port());
  EXPECT_EQ(statusOf(get(second, "/")), 200);
}

}  // namespace
}  // namespace cairn
