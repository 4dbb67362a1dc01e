#include "sill/store/mpiio/mpiio_hint_report.hpp"

#include <fmt/format.h>

namespace sill {

void MpiioHintReport::add(const std::string& path, const MpiioHintsInEffect& hints) {
  const std::lock_guard lock(mutex_);
  Line& line = lines_[text_of(hints)];
  if (line.files++ > 0) return;
  line.hints = hints;
  line.first = path;
}

std::vector<MpiioHintReport::Line> MpiioHintReport::lines() const {
  const std::lock_guard lock(mutex_);
  std::vector<Line> all;
  for (const auto& [text, line] : lines_) all.push_back(line);
  return all;
}

std::string text_of(const MpiioHintsInEffect& hints) {
  std::string text;
  for (const MpiioHint& hint : hints.hints) {
    if (!text.empty()) text += ", ";
    if (hints.is_echo) {
      text += fmt::format("{} {} requested", hint.name, hint.asked);
    } else if (hint.in_effect.empty()) {
      text += fmt::format("{} not used (requested {})", hint.name, hint.asked);
    } else if (hint.in_effect == hint.asked) {
      text += fmt::format("{} {} as requested", hint.name, hint.in_effect);
    } else {
      text += fmt::format("{} {} (requested {})", hint.name, hint.in_effect, hint.asked);
    }
  }
  if (hints.is_echo) text += "; effect unknown, because this MPI returns the requested values";
  return text;
}

}  // namespace sill
