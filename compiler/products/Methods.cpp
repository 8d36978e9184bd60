// Which methods can step a model.
#include "products/Impl.h"

#include "sema/LibraryManifolds.h"

#include <algorithm>
#include <fmt/format.h>

namespace lmc::products {

namespace {

/// The order as it is declared: of the method itself, else of the tableau that it is built from.
std::string orderOf(const methods::CheckedMethod& method) {
  if (method.order == 0 || method.orderVaries) return {};
  return method.embeddedOrder > 0 ? fmt::format("{}({})", method.order, method.embeddedOrder)
                                  : std::to_string(method.order);
}

/// Those of the model's files, then those of the library that they do not hide.
std::vector<sema::Found> declaredMethods(sema::Compilation& compilation) {
  std::vector<sema::Found> all;
  for (const syntax::File* file : compilation.files()) {
    for (const syntax::Declaration& d : file->declarations)
      if (d.kind == syntax::DeclKind::Method || d.kind == syntax::DeclKind::Variational)
        all.push_back({&d, file->source});
  }
  for (const syntax::DeclKind kind : {syntax::DeclKind::Method, syntax::DeclKind::Variational}) {
    for (const sema::Found& f : compilation.libraryDeclarations(kind)) {
      if (std::none_of(all.begin(), all.end(),
                       [&](const sema::Found& o) { return o.declaration->name == f.declaration->name; }))
        all.push_back(f);
    }
  }
  return all;
}

} // namespace

std::vector<MethodSummary> Pipeline::methodsThatStep() {
  return impl_->limited([&] {
    std::vector<MethodSummary> list;
    if (!impl_->system) return list;
    mechanics::Layer layer(*impl_->system); // of what is only tried
    const sym::Graph::Work work = layer.work();
    for (const sema::Found& f : declaredMethods(*impl_->compilation)) {
      const auto method = methods::checkMethod(*impl_->compilation, f);
      if (!method || !methods::steps(layer, *method)) continue;
      list.push_back({method->name, method->kind->name, orderOf(*method), sema::firstLine(f.declaration->doc)});
    }
    std::sort(list.begin(), list.end(), [](const auto& a, const auto& b) { return a.name < b.name; });
    return list;
  });
}

} // namespace lmc::products
