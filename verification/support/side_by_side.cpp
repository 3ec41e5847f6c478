#include "verification/support/side_by_side.hpp"

#include "elements/forces/gravity.hpp"
#include "elements/forces/load.hpp"
#include "elements/forces/spring_damper.hpp"
#include "elements/joints/drive.hpp"
#include "elements/limits/limit.hpp"

#include <cmath>
#include <string>

namespace emmy::test {

namespace {

constexpr double pi = 3.14159265358979323846;

/// Adds the elements of one part, and says where its bodies are to begin.
class PartBuilder {
public:
  PartBuilder(Mechanism& m, Part part, std::vector<BodyMotion>& motions)
      : m_(m), part_(part), name_("part" + std::to_string(static_cast<int>(part)) + " "), motions_(motions),
        first_(m.bodies.size()), origin_(0, 20 * static_cast<double>(static_cast<int>(part)), 0) {}

  void add() {
    const bool is_loop = part_ == Part::loop || part_ == Part::sprung_loop;
    Vec3 end = origin_;
    for (int i = 0; i < 3; ++i) {
      // down, along y and up again, or all in one line
      const double angle = !is_loop ? pi / 4 : i == 0 ? pi / 4 : i == 1 ? pi / 2 : 5 * pi / 4;
      const Quaternion q = exponential({angle, 0, 0});
      const BodyMaker& maker = body_makers()[part_ == Part::of_directors ? 1 : 0];
      m_.bodies.push_back(
          &maker.add(*m_.model, name_ + "body" + std::to_string(i), 12, Vec3(9.25, 10, 1.25).asDiagonal()));
      motions_.push_back({end + q * Vec3(0, 0, -1.5), q, Vec3::Zero(), Vec3::Zero()});
      end += q * Vec3(0, 0, -3);
      m_.model->add(std::make_unique<Gravity>(name_ + "weight" + std::to_string(i), m_.model->ports(),
                                              m_.bodies.back()->port(), 12, Vec3(0, 0, -9.81)));
      join(i);
    }
    const Index last = m_.bodies.back()->port();
    const Ports& ports = m_.model->ports();
    if (is_loop)
      m_.model->add(revolute_joint(name_ + "joint3", ports, bottom(2), {Model::ground, end}));
    if (part_ == Part::sprung || part_ == Part::sprung_loop)
      m_.model->add(std::make_unique<SpringDamper>(name_ + "spring", ports,
                                                   body_point(Model::ground, origin_ + Vec3(1, 4, -4)),
                                                   body_point(last, Vec3(0, 0, -1.5)), SpringLaw{50, 1, 0}));
    if (part_ == Part::pushed)
      m_.model->add(std::make_unique<AppliedForce>(name_ + "push", ports, last, Vec3(0, 0, -1.5), Vec3(0, 20, 0),
                                                   LoadAxes::body));
    if (part_ == Part::driven)
      m_.model->add(std::make_unique<Drive>(name_ + "motor", ports, JointSide{Model::ground, origin_}, top(0),
                                            Drive::Coordinate::angle, Drive::Prescribes::rate,
                                            TimeFunction([](double t) { return t; })));
    Mat3 upwards; // its first column is z
    upwards << 0, 1, 0, 0, 0, 1, 1, 0, 0;
    if (part_ == Part::walled)
      m_.model->add(wall(name_ + "floor", ports, {Model::ground, origin_ + Vec3(0, 0, -6.45), upwards},
                         body_point(last, Vec3(0, 0, -1.5)), 0, 1));
  }

private:
  JointSide top(int i) const { return {m_.bodies[first_ + static_cast<std::size_t>(i)]->port(), {0, 0, 1.5}}; }
  JointSide bottom(int i) const { return {m_.bodies[first_ + static_cast<std::size_t>(i)]->port(), {0, 0, -1.5}}; }

  /// A body with the one before.
  void join(int i) {
    JointSide I = i == 0 ? JointSide{Model::ground, origin_} : bottom(i - 1), K = top(i);
    const std::string name = name_ + "joint" + std::to_string(i);
    const Ports& ports = m_.model->ports();
    if (part_ == Part::sliding && i == 1) {
      I.axes << 0, 1, 0, 0, 0, 1, 1, 0, 0; // along z
      K.axes = I.axes;
      m_.model->add(prismatic_joint(name, ports, I, K));
    } else if (part_ == Part::on_balls || part_ == Part::of_directors) {
      m_.model->add(spherical_joint(name, ports, I, K));
    } else {
      m_.model->add(revolute_joint(name, ports, I, K));
    }
  }

  Mechanism& m_;
  Part part_;
  std::string name_;
  std::vector<BodyMotion>& motions_;
  std::size_t first_;
  Vec3 origin_;
};

} // namespace

Mechanism side_by_side(const std::vector<Part>& parts) {
  Mechanism m;
  std::vector<BodyMotion> motions;
  for (const Part part : parts)
    PartBuilder(m, part, motions).add();
  m.initial = m.model->rest_state();
  for (std::size_t i = 0; i < motions.size(); ++i)
    m.bodies[i]->set_motion(motions[i], m.initial);
  begin(m);
  return m;
}

} // namespace emmy::test
