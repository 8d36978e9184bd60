#include "runtime/input/Input.h"

#include "base/Installation.h"

#include <algorithm>
#include <cctype>
#include <dlfcn.h>

namespace lmc::runtime {

namespace {

void readByModule(const InputFormat& format, const std::filesystem::path& file, InputTable& table) {
  const std::string files = std::string(format.endings[0]) + " files";
  void* module = nullptr;
  try {
    module = openModule(std::string("liblmc_read_") + format.name + ".so", ModuleLife::Forever);
  } catch (const InstallationError& e) {
    throw InputError("the reader of " + files + " cannot be loaded: " + e.what());
  }
  void* const entry = dlsym(module, "lmc_read_input");
  if (entry == nullptr) throw InputError("the reader of " + files + " does not belong to this version of lmc");
  using Read = void (*)(const char*, InputTable*);
  reinterpret_cast<Read>(entry)(file.c_str(), &table);
}

} // namespace

const InputColumn* InputTable::find(const std::string& name) const {
  for (const InputColumn& c : columns)
    if (c.entry.name() == name) return &c;
  return nullptr;
}

std::vector<const InputColumn*> InputTable::field(const std::string& name) const {
  std::vector<const InputColumn*> found;
  for (const InputColumn& c : columns)
    if (c.entry.field == name) found.push_back(&c);
  return found;
}

std::vector<std::string> InputTable::fields() const {
  std::vector<std::string> names;
  for (const InputColumn& c : columns)
    if (std::find(names.begin(), names.end(), c.entry.field) == names.end()) names.push_back(c.entry.field);
  return names;
}

void addArray(InputTable& table, const std::string& name, const std::vector<std::int64_t>& shape,
              std::span<const double> values) {
  const std::vector<Entry> entries = Field{name, shape, {}}.entries();
  const std::size_t width = entries.size();
  const std::size_t rows = width == 0 ? 0 : values.size() / width;
  for (std::size_t k = 0; k < width; ++k) {
    InputColumn column{entries[k], std::vector<double>(rows)};
    for (std::size_t r = 0; r < rows; ++r) column.values[r] = values[r * width + k];
    table.columns.push_back(std::move(column));
  }
}

const InputFormat* inputFormat(const std::filesystem::path& file) {
  std::string ending = file.extension().string();
  std::transform(ending.begin(), ending.end(), ending.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  for (const InputFormat* format : inputFormats())
    for (const char* const known : format->endings)
      if (known != nullptr && ending == known) return format;
  return nullptr;
}

std::string inputEndings(const std::string& comma, const std::string& last) {
  std::vector<std::string> all;
  for (const InputFormat* format : inputFormats())
    for (const char* const ending : format->endings)
      if (ending != nullptr) all.emplace_back(ending);
  std::string text;
  for (std::size_t i = 0; i < all.size(); ++i) text += (i == 0 ? "" : i + 1 < all.size() ? comma : last) + all[i];
  return text;
}

InputTable readInput(const std::filesystem::path& file) {
  const InputFormat* const format = inputFormat(file);
  if (format == nullptr)
    throw InputError("the format of `" + file.string() + "` is not known; the file's name ends in " +
                     inputEndings(", ", " or "));
  InputTable table;
  if (format->read != nullptr)
    format->read(file, table);
  else
    readByModule(*format, file, table);
  return table;
}

} // namespace lmc::runtime
