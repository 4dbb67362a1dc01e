#include "sill/io/files/whole_text_file.hpp"

#include <span>

#include "sill/io/files/folder_syncs.hpp"

namespace sill {

WholeTextFile::WholeTextFile(const Resources& resources, const std::string& path)
    : durable_(resources.policy.is_durable()),
      meter_(resources.meter),
      part_(path),
      store_(resources.open(part_.path(), OpenMode::write)) {}

void WholeTextFile::write(std::string_view text) {
  write_at(*store_, size_bytes_, std::as_bytes(std::span(text.data(), text.size())));
  size_bytes_ += static_cast<std::int64_t>(text.size());
}

void WholeTextFile::close() {
  if (durable_) store_->sync();
  store_->close();
  store_.reset();
}

void WholeTextFile::finish() {
  if (store_) close();
  commit(part_, durable_, meter_);
}

}  // namespace sill
