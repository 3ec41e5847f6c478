#include "core/rotation.hpp"
#include "io/channels/sources.hpp"

#include <algorithm>

namespace emmy {

namespace {

/// What changed over the step, divided by it; not a number where none led here.
Vec3 rate_over_step(const Moment& m, const Vec3& change) {
  return m.has_reactions ? Vec3(change * m.step.inv_h) : Vec3::Constant(no_number);
}

ChannelSource mean_velocities(const Body* body, bool turned) {
  const auto channel = [&](const char* name, const char* unit, std::vector<std::string> columns, const char* doc) {
    return Channel{ChannelKind::body, body->name(), name, unit, std::move(columns), When::mean, doc, true};
  };
  return {{channel("mean_velocity", "m/s", {"mean_vx", "mean_vy", "mean_vz"},
                   "way of the centre of mass in the step, divided by the step"),
           channel("mean_angular_velocity", "rad/s", {"mean_wx", "mean_wy", "mean_wz"},
                   turned ? "turn in the step, divided by the step; along body axes"
                          : "turn in the step, divided by the step; along global axes")},
          [body, turned](const Moment& m, double* out) {
            const BodyMotion from = body->motion(m.step.n), to = body->motion(m.state);
            const Quaternion turn = turned ? Quaternion(from.orientation.conjugate() * to.orientation)
                                           : Quaternion(to.orientation * from.orientation.conjugate());
            Numbers(out) << rate_over_step(m, to.position - from.position) << rate_over_step(m, rotation_vector(turn));
          }};
}

} // namespace

void add_body_sources(const BuiltModel& built, const deck::Output& output, Sources& to) {
  const bool turned = output.body_angular_velocity;
  for (const Body* body : built.bodies) {
    const auto channel = [&](const char* name, const char* unit, std::vector<std::string> columns, const char* doc) {
      return Channel{ChannelKind::body, body->name(), name, unit, std::move(columns), When::end, doc};
    };
    to.push_back(
        {{channel("position", "m", {"x", "y", "z"}, "centre of mass"),
          channel("orientation", "1", {"qw", "qx", "qy", "qz"}, "unit quaternion, scalar first, body to space"),
          channel("velocity", "m/s", {"vx", "vy", "vz"}, "of the centre of mass"),
          channel("angular_velocity", "rad/s", {"wx", "wy", "wz"}, turned ? "along body axes" : "along global axes")},
         [body, turned](const Moment& m, double* out) {
           const BodyMotion motion = body->motion(m.state);
           const Vec4 q = to_wxyz(motion.orientation);
           Numbers(out) << motion.position << q[0] << q[1] << q[2] << q[3] << motion.velocity
                        << (turned ? Vec3(motion.orientation.conjugate() * motion.angular_velocity)
                                   : motion.angular_velocity);
         }});
    to.push_back(mean_velocities(body, turned));
    const auto found = std::find(built.links.begin(), built.links.end(), body);
    if (found == built.links.end())
      continue;
    const ChainLink* link = *found;
    to.push_back({{channel("angle", "rad", {"angle"}, "absolute angle of the link, with its turns"),
                   channel("angle_rate", "rad/s", {"angular_velocity"}, "its rate")},
                  [link](const Moment& m, double* out) {
                    Numbers(out) << link->angle(m.state) << link->angular_velocity(m.state);
                  }});
    to.push_back({{{ChannelKind::body,
                    body->name(),
                    "mean_angle_rate",
                    "rad/s",
                    {"mean_angle_rate"},
                    When::mean,
                    "change of the angle in the step, divided by the step",
                    true}},
                  [link](const Moment& m, double* out) {
                    *out = m.has_reactions ? (link->angle(m.state) - link->angle(m.step.n)) * m.step.inv_h : no_number;
                  }});
  }
}

void add_point_sources(const BuiltModel& built, Sources& to) {
  for (const TracedPoint& point : built.points) {
    const auto channel = [&](const char* name, const char* unit, std::vector<std::string> columns, When when,
                             const char* doc) {
      return Channel{ChannelKind::point, point.name, name, unit, std::move(columns), when, doc};
    };
    const Connectivity* port = built.model->ports()[static_cast<std::size_t>(point.variable.port)].get();
    const NaturalVariable variable = point.variable;
    to.push_back({{channel("position", "m", {"x", "y", "z"}, When::end, "of the point"),
                   channel("velocity", "m/s", {"vx", "vy", "vz"}, When::end, "of the point"),
                   channel("acceleration", "m/s^2", {"ax", "ay", "az"}, When::mean,
                           "change of its velocity in the step, divided by the step")},
                  [port, variable](const Moment& m, double* out) {
                    Vec12 q, rate, rate_before;
                    port->at(m.state, q, rate);
                    const Vec3 position = variable.of(q), velocity = variable.of(rate);
                    port->at(m.step.n, q, rate_before);
                    Numbers(out) << position << velocity << rate_over_step(m, velocity - variable.of(rate_before));
                  }});
    to.push_back({{{ChannelKind::point,
                    point.name,
                    "mean_velocity",
                    "m/s",
                    {"mean_vx", "mean_vy", "mean_vz"},
                    When::mean,
                    "way of the point in the step, divided by the step",
                    true}},
                  [port, variable](const Moment& m, double* out) {
                    Vec12 q_n, q, rate;
                    port->at(m.step.n, q_n, rate);
                    port->at(m.state, q, rate);
                    Numbers(out) << rate_over_step(m, variable.of(q) - variable.of(q_n));
                  }});
  }
}

} // namespace emmy
