#include "app/progress.hpp"

#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <ostream>
#include <string>

namespace cairn {
namespace {

constexpr int kBarWidth = 20;

std::string duration(double seconds) {
  if (seconds < 100.0) return fmt::format("{:.0f} s", seconds);
  if (seconds < 6000.0) return fmt::format("{:.0f} min", seconds / 60.0);
  return fmt::format("{:.1f} h", seconds / 3600.0);
}

// A line that wraps cannot be drawn over.
std::size_t terminalWidth() {
  winsize size{};
  const bool known = ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0;
  return known ? size.ws_col : 80;
}

}  // namespace

bool ProgressLine::isDue() {
  if (!on_) return false;
  const auto now = Clock::now();
  if (now - last_ < std::chrono::milliseconds(100)) return false;
  last_ = now;
  return true;
}

void ProgressLine::draw(double share, const std::string& text) {
  const int filled = static_cast<int>(share * kBarWidth);
  std::string line = fmt::format("[{:#<{}}{:.<{}}] {:3.0f} %  {}", "", filled, "", kBarWidth - filled, 100.0 * share, text);
  line.resize(std::min(line.size(), terminalWidth() - 1));
  out_ << "\r\x1b[K" << line << std::flush;
  drawn_ = true;
}

double ProgressLine::elapsed() const { return std::chrono::duration<double>(Clock::now() - start_).count(); }

std::string ProgressLine::timeLeft(double done, double all) const {
  return duration(done > 0.0 ? (all - done) * elapsed() / done : 0.0) + " left";
}

void ProgressLine::clear() {
  if (drawn_) out_ << "\r\x1b[K" << std::flush;
  drawn_ = false;
}

void Progress::show(double simulated) {
  if (!line_.isDue()) return;
  const double elapsed = line_.elapsed();
  const double share = seconds_ > 0.0 ? std::clamp(simulated / seconds_, 0.0, 1.0) : 1.0;
  line_.draw(share, fmt::format("{:.2f} of {:g} s  {:.2f} x real time  {}", simulated, seconds_,
                                elapsed > 0.0 ? simulated / elapsed : 0.0, line_.timeLeft(simulated, seconds_)));
}

void CountProgress::show(double done, std::string_view now) {
  if (!line_.isDue()) return;
  line_.draw(all_ > 0 ? std::clamp(done / all_, 0.0, 1.0) : 1.0,
             fmt::format("{} of {}  {}  {}", static_cast<int>(done), all_, line_.timeLeft(done, all_), now));
}

}  // namespace cairn
