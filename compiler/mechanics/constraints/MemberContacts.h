// Contacts as functions of one member, for methods that step them by impulses: what a contact is at given indices, the
// rows between its rates and the velocities that it acts on, and the masses of these.
#pragma once

#include "mechanics/system/Layer.h"
#include "sema/model/ModelContacts.h"

#include <optional>

namespace lmc::mechanics {

/// The members of one clause of a contact.
struct MemberContact {
  const sema::SteppedContact* contact = nullptr;
  const sema::SteppedContact::Clause* clause = nullptr;
  int tangents = 0;
  std::vector<std::size_t> touched; ///< factors, one for each velocity that it acts on
  /// A Temp array of single numbers, at the member that MemberContacts::indices name: gap, |left| + |right|,
  /// restitution, friction, speed of rest, the rate of the gap, the slip; then of each that is touched the member, from
  /// 1, and the derivatives of the rate and of the slip by its velocity, row by row.
  const sym::Array* numbers = nullptr;
  sym::Expr gap; ///< of the loops' indices, written out as far as it depends on the state and the time
};

/// The mass matrices of all members of some factors: blocks of size by size numbers, row by row.
struct MemberMass {
  std::vector<std::size_t> factors;
  std::int64_t extent = 1, size = 0;
  const sym::Array* matrix = nullptr;
  bool constant = false;
};

struct MemberContacts {
  const sym::Array* indices[2] = {nullptr, nullptr}; ///< arguments: whole numbers
  std::vector<MemberContact> contacts;
  std::vector<MemberMass> masses;
};

/// Reports contacts and masses that are not of few members (LIE0455), and slips that are not affine in the velocities;
/// nothing then. Its equations are added to the layer.
[[nodiscard]] std::optional<MemberContacts> memberContacts(Layer& layer, Diagnostics& diagnostics);

/// d/dt along (g', t') = (T(g) xi, 1), of what depends on points and the time alone.
[[nodiscard]] sym::Expr rateOfPoints(Layer& layer, sym::Expr value);

} // namespace lmc::mechanics
