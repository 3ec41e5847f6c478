#pragma once
/// Gathers the points of one slave and one master. What is between the two is computed in the axes of the master's
/// body, from the difference of the centres.

#include "contact/geometry/touch.hpp"
#include "contact/narrow.hpp"

namespace emmy::contact {

/// A surface of a scene at its place.
struct PlacedSurface {
  int number;
  const Surface& surface;
  const Placed& place;
};

/// A box along the axes of a body.
struct Extent {
  Vec3 low, high;
};

class Collector {
public:
  Collector(const PlacedSurface& slave, const PlacedSurface& master, int rule, double margin,
            std::vector<ContactPoint>& out)
      : slave_(slave), master_(master), rule_(rule), margin_(margin), out_(out),
        turn_(master.place.Q.transpose() * slave.place.Q), shift_(master.place.coordinates(slave.place.x)) {}

  double margin() const { return margin_; }

  /// From coordinates of the slave to those in which touches of the master are computed: its own, or the axes of a box.
  struct Map {
    Mat3 turn;
    Vec3 shift;
    Vec3 operator()(const Vec3& at) const { return shift + turn * at; }
  };
  template <class Master>
  Map map_to(const Master&) const {
    return {turn_, shift_};
  }
  Map map_to(const Box& box) const {
    return {box.axes.transpose() * turn_, box.axes.transpose() * (shift_ - box.centre)};
  }

  /// Body coordinates of the master from those of the slave.
  Vec3 in_master(const Vec3& at) const { return shift_ + turn_ * at; }

  Vec3 direction_in_master(const Vec3& along) const { return turn_ * along; }
  Mat3 axes_in_master(const Mat3& axes) const { return turn_ * axes; }
  Vec3 in_slave(const Vec3& at) const { return turn_.transpose() * (at - shift_); }
  Vec3 direction_in_slave(const Vec3& along) const { return turn_.transpose() * along; }
  /// What holds an extent of the master.
  Extent in_slave(const Extent& extent) const {
    const Vec3 middle = in_slave(Vec3((extent.low + extent.high) / 2));
    const Vec3 half = turn_.transpose().cwiseAbs() * (extent.high - extent.low) / 2;
    return {middle - half, middle + half};
  }

  /// Feature of the slave, the point (in its own coordinates) about which it is rounded; feature of the master, and how
  /// it is touched (in the master's coordinates). The point of contact is returned for further entries.
  ContactPoint& add(int slave_feature, const Vec3& at, double radius, int master_feature, const Touch& touch) {
    ContactPoint& point = out_.emplace_back();
    point.key = {slave_.number, slave_feature, master_.number, master_feature};
    point.slave.port = slave_.surface.port;
    point.slave.at = at;
    point.master.port = master_.surface.port;
    point.master.at = touch.at;
    point.master.facet = touch.facet;
    point.master.N = touch.N;
    point.radius = radius;
    point.normal = master_.place.direction(touch.normal);
    point.gap = touch.distance - radius;
    point.rule = rule_;
    return point;
  }

private:
  const PlacedSurface& slave_;
  const PlacedSurface& master_;
  int rule_;
  double margin_;
  std::vector<ContactPoint>& out_;
  Mat3 turn_; ///< axes of the slave in those of the master
  Vec3 shift_;
};

} // namespace emmy::contact
