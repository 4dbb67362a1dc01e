// Writes a SEG-Y file of 100 traces of IEEE floats, each rank its part: write FILE
#include <iostream>
#include <vector>

#include "sill/comm/agree.hpp"
#include "sill/comm/launch.hpp"
#include "sill/formats/segy/words/words.hpp"
#include "sill/io/survey/survey_writer.hpp"
#include "sill/layout/decomposition.hpp"

int main(int count, char** values) try {
  if (count != 2) return std::cerr << "usage: write FILE\n", 2;
  sill::Launch launch;  // alone, or one of the ranks that mpiexec started
  const sill::Resources resources{.comm = launch.comm()};
  const sill::segy::FileForm form{.samples = 500, .interval_us = 4000.0, .traces = 100, .text = {"C 1 A RAMP A TRACE"}};
  sill::SurveyWriter writer(resources, values[1], form);
  const sill::ItemRange mine = sill::block_of(form.traces, launch.comm().size(), launch.comm().rank());
  std::vector<std::byte> headers(static_cast<std::size_t>(mine.count) * 240);
  std::vector<float> samples;
  for (std::int64_t i = 0; i < mine.count; ++i) {
    const std::int64_t number = mine.first + i + 1;
    const auto set = [&](const char* word, std::int64_t value) {
      sill::segy::write_word(&headers[static_cast<std::size_t>(i) * 240], *sill::segy::find_trace_word(word),
                             form.byte_order, {value});
    };
    set("tracl", number);
    set("ns", form.samples);
    set("dt", 4000);
    for (int s = 1; s <= form.samples; ++s) samples.push_back(static_cast<float>(number * s) / 500.0F);
  }
  writer.write_samples(mine, headers, samples);
  writer.finish();                    // only now the file has its name
} catch (const sill::Error& error) {  // the same on every rank
  std::cerr << error.what() << '\n';
  return static_cast<int>(error.code());
}
