#pragma once
/// Joins spring bodies by sharing: bodies that use the same point cannot part there, and no equation says so. A common
/// point is a spherical joint, a point and a vector a revolute joint, a point and three vectors a weld
/// (docs/theory/spring_tetra.md). What cannot be shared is reported, for a joint with multipliers to do it.

#include "elements/bodies/spring_tetra.hpp"

#include <map>
#include <memory>
#include <optional>

namespace emmy {

enum class SharedKind { point, axis, weld };

/// Where a connection is on one of its bodies, or on the ground.
struct SharedSide {
  static constexpr Index ground = -1;
  Index body = ground;          ///< as numbered by SpringTetraMesh::add_body
  Vec3 at = Vec3::Zero();       ///< body coordinates [m]
  Mat3 axes = Mat3::Identity(); ///< triad in body components; the first column is the shared axis
};

class SpringTetraMesh {
public:
  Index add_body(std::string name, double mass, const Mat3& J, const Quaternion& orientation,
                 const SpringTetraOptions& options);
  Index add_connection(SharedKind kind, const SharedSide& first, const SharedSide& second);

  /// Adds nodes, ports and bodies to the model, in the order of add_body. Bodies that share are rigid once: springs
  /// that repeat what others hold already are left out where they would be multipliers of a rigid body.
  void build(Model& model);

  /// Whether a connection is made by sharing.
  bool is_shared(Index connection) const;
  /// Why it is not, in words.
  const std::string& reason(Index connection) const;

  SpringTetra& body(Index i) const;

  /// Force and moment about the joint's point on the second body of a shared connection, or nothing if what is shared
  /// closes a loop, so that only the sum of several reactions is determined. From the balance of all bodies beyond the
  /// connection; call after an accepted step.
  std::optional<Reaction> reaction(const Model& model, Index connection, const MovedStep& s) const;

private:
  /// Weighted sum of points_.
  using Combination = std::map<std::size_t, double>;
  struct Point {
    bool is_fixed = false;
    Support support; ///< if fixed
    Node node;       ///< otherwise
  };
  struct Column {
    Vec4 column;
    Combination value;
  };
  struct Member {
    std::string name;
    double mass;
    Mat3 J, E;
    Quaternion orientation;
    SpringTetraOptions options;
    MatX basis;
    double length; ///< radius of gyration [m]
    std::vector<Column> columns;
    std::vector<Vec3> springs; ///< all that keep it rigid
    bool is_placed = false, follows = false;
    SpringTetra* body = nullptr;
  };
  struct Connection {
    SharedKind kind;
    SharedSide first, second;
    bool is_shared = true;
    std::string reason;
  };
  struct Wanted { ///< one column of a connection, seen from both sides
    Vec4 here, there;
  };

  void place(std::size_t member, Model& model);
  bool take_over(std::size_t member, Connection& connection);
  void offer_masters(Member& m, std::size_t member, Model& model);
  void complete(Member& m, Model& model);
  double novelty(const Member& m, const Vec4& column, const std::vector<Column>& columns) const;
  bool is_in_reach(const Member& m, const Vec4& column) const;
  Combination value_on(const SharedSide& side, const Vec4& column);
  void add_free(Member& m, const Vec4& column, Model& model);
  std::vector<Vec3> needed_springs(const Member& m, std::size_t member) const;
  MatX rigidity_rows(const Member& m, const std::vector<Vec3>& springs) const;
  std::vector<BodySlot> slots(const Member& m) const;
  std::optional<std::vector<std::size_t>> side_of(const Connection& connection, Index from, Index to) const;
  static std::vector<Wanted> wanted(SharedKind kind, const SharedSide& here, const SharedSide& there);

  std::vector<Member> members_;
  std::vector<Connection> connections_;
  std::vector<Point> points_;
};

} // namespace emmy
