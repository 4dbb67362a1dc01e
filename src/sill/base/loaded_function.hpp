// Functions of libraries that are loaded when they are needed.
#pragma once

namespace sill {

/// The address of a function of a loaded library, which converts to a pointer to a function of any type.
class LoadedFunction {
 public:
  explicit LoadedFunction(void* address) : address_(address) {}
  template <class Function>
  operator Function*() const {  // NOLINT(google-explicit-constructor): assigned to pointers of all types
    return reinterpret_cast<Function*>(address_);
  }

 private:
  void* address_;
};

}  // namespace sill
