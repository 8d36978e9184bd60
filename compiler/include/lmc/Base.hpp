/// @file
/// What all headers of the host interface share: the namespace, spans and views of numbers.
///
/// The interface needs C++17. It includes nothing but the standard library.
#pragma once

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

/// The version of this interface, in step with the library's: major.
#define LMC_VERSION_MAJOR 0
/// Minor version.
#define LMC_VERSION_MINOR 1
/// Patch.
#define LMC_VERSION_PATCH 0

/// @cond implementation
#if defined(__GNUC__)
#define LMC_API __attribute__((visibility("default")))
#else
#define LMC_API
#endif

// The implementation has an inner namespace of the same name with another content and undefines `inline` here.
#ifndef LMC_INLINE
#define LMC_INLINE inline
#endif
/// @endcond

/// The host interface of lmc: models compiled at run time, and their motions.
namespace lmc {
/// Version 1 of the interface. Write `lmc::Model`; the version is part of the names that the linker sees.
LMC_INLINE namespace v1 {

  /// The version of the library that is loaded, "0.1.0".
  [[nodiscard]] LMC_API const char* version() noexcept;

  /// @cond implementation
  namespace detail {
  struct ModelData;
  struct WorkspaceData;
  struct TrajectoryData;
  struct LinearizationData;
  struct Access;
  } // namespace detail
  /// @endcond

  /// Numbers that stand one after the other in memory of somebody else; a std::span for C++17.
  template <class T> class Span {
  public:
    /// Type of the numbers without `const`.
    using value_type = std::remove_const_t<T>;

    constexpr Span() noexcept = default;
    /// `size` numbers from `data` on.
    constexpr Span(T* data, std::size_t size) noexcept : data_(data), size_(size) {}
    /// An array.
    template <std::size_t N> constexpr Span(T (&array)[N]) noexcept : data_(array), size_(N) {} // NOLINT
    /// All of a container with `data()` and `size()`: a vector, an array, a std::span.
    template <class C, class = std::enable_if_t<!std::is_same_v<std::decay_t<C>, Span> &&
                                                std::is_convertible_v<decltype(std::declval<C&>().data()), T*>>>
    constexpr Span(C&& c) noexcept : data_(c.data()), size_(static_cast<std::size_t>(c.size())) {} // NOLINT
    /// A braced list, for the length of the call it is written in: `set("chi", {0, 1, 0})`.
    template <class U = T, class = std::enable_if_t<std::is_const_v<U>>>
    constexpr Span(std::initializer_list<value_type> list) noexcept : size_(list.size()) { // NOLINT
      data_ = list.size() > 0 ? &*list.begin() : nullptr; // the list lives as long as the call
    }

    /// The first number.
    [[nodiscard]] constexpr T* data() const noexcept { return data_; }
    /// How many numbers.
    [[nodiscard]] constexpr std::size_t size() const noexcept { return size_; }
    /// Whether there are none.
    [[nodiscard]] constexpr bool empty() const noexcept { return size_ == 0; }
    /// The i-th number, from 0; not checked.
    [[nodiscard]] constexpr T& operator[](std::size_t i) const noexcept { return data_[i]; }
    /// For range-based loops.
    [[nodiscard]] constexpr T* begin() const noexcept { return data_; }
    /// For range-based loops.
    [[nodiscard]] constexpr T* end() const noexcept { return data_ + size_; }
    /// `count` numbers from the i-th on; not checked.
    [[nodiscard]] constexpr Span part(std::size_t i, std::size_t count) const noexcept { return {data_ + i, count}; }
    /// The numbers in a vector of their own.
    [[nodiscard]] std::vector<value_type> copy() const { return std::vector<value_type>(begin(), end()); }

  private:
    T* data_ = nullptr;
    std::size_t size_ = 0;
  };

  /// Scalars, vectors or matrices in memory, one member of a family after the other, matrices by rows, nothing between.
  ///
  /// With Eigen: `Eigen::Map<Eigen::Vector3d>(view.data)` and
  /// `Eigen::Map<Eigen::Matrix<double, 3, 3, Eigen::RowMajor>>(view.data)`.
  template <class T> struct BasicView {
    T* data = nullptr;        ///< the first entry of the first member
    std::int64_t members = 1; ///< 1 for what is no family
    int rows = 1;             ///< length of a vector, rows of a matrix; 1 for a scalar
    int columns = 1;          ///< 1 for a vector

    /// Numbers of one member.
    [[nodiscard]] std::int64_t stride() const noexcept { return std::int64_t{rows} * columns; }
    /// Numbers of all members.
    [[nodiscard]] std::int64_t size() const noexcept { return members * stride(); }
    /// One member, counted from 0 (in models members count from 1); not checked.
    [[nodiscard]] BasicView member(std::int64_t i) const noexcept { return {data + i * stride(), 1, rows, columns}; }
    /// The i-th number, from 0; not checked.
    [[nodiscard]] T& operator[](std::int64_t i) const noexcept { return data[i]; }
    /// An entry of the first member by row and column, from 0; not checked.
    [[nodiscard]] T& operator()(int row, int column = 0) const noexcept { return data[row * columns + column]; }
    /// The numbers in order.
    [[nodiscard]] Span<T> numbers() const noexcept { return {data, static_cast<std::size_t>(size())}; }
  };

  /// A view through which numbers may be changed.
  using View = BasicView<double>;
  /// A view of numbers that are only read.
  using ConstView = BasicView<const double>;

} // namespace v1
} // namespace lmc
