#include <cstring>

#include "sill/base/error.hpp"
#include "sill/comm/communicator.hpp"

namespace sill {
namespace {

class Alone final : public Communicator {
 public:
  [[nodiscard]] int rank() const override { return 0; }
  [[nodiscard]] int size() const override { return 1; }
  [[nodiscard]] int ranks_on_node() const override { return 1; }
  [[nodiscard]] int ranks_on_cores() const override { return 1; }
  [[nodiscard]] std::span<const int> node_of_ranks() const override { return {&node_, 1}; }
  void barrier() override {}
  void broadcast(std::span<std::byte> /*bytes*/, int /*root*/) override {}
  void all_reduce(std::span<std::int64_t> /*values*/, Reduction /*reduction*/) override {}

  void all_gather(std::span<const std::byte> mine, std::span<std::byte> all) override {
    if (!mine.empty()) std::memcpy(all.data(), mine.data(), mine.size());
  }

  void all_gather_all(std::span<const std::byte> mine, std::span<std::byte> all,
                      std::span<const std::int64_t> /*sizes*/) override {
    all_gather(mine, all);
  }

  void all_to_all(std::span<const std::int64_t> out, std::span<std::int64_t> in) override { in[0] = out[0]; }

  void exchange(std::span<const Outgoing> sends, std::span<const Incoming> receives) override {
    bool matched = sends.size() == receives.size();
    for (std::size_t i = 0; matched && i < sends.size(); ++i) {
      matched = sends[i].peer == 0 && receives[i].peer == 0 && sends[i].bytes.size() == receives[i].bytes.size();
      if (matched && !sends[i].bytes.empty()) {
        std::memmove(receives[i].bytes.data(), sends[i].bytes.data(), sends[i].bytes.size());
      }
    }
    if (!matched) throw Error({.problem = "messages of a rank to itself do not match: an error in the program"});
  }

 private:
  int node_ = 0;
};

}  // namespace

std::unique_ptr<Communicator> make_alone() { return std::make_unique<Alone>(); }

}  // namespace sill
