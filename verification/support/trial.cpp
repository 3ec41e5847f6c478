#include "verification/support/trial.hpp"

#include "elements/bodies/director.hpp"
#include "elements/bodies/frame.hpp"
#include "elements/bodies/pivoted.hpp"
#include "elements/bodies/spring_tetra.hpp"

#include <ostream>
#include <utility>

namespace emmy::test {

namespace {

template <class B>
const Body& add(Model& model, std::string name, double mass, const Mat3& J) {
  return B::add_to(model, std::move(name), mass, J);
}

const Body& add_spring_tetra(Model& model, std::string name, double mass, const Mat3& J) {
  return SpringTetra::add_to(model, std::move(name), mass, J);
}

const Body& add_pivoted(Model& model, std::string name, double mass, const Mat3& J) {
  return PivotedBody::add_to(model, std::move(name), mass, J, {0.3, -0.2, 0.4}, {0.1, 0.5, -0.3});
}

/// Springs that trials strain, on points and a vector that are not symmetric in any way.
const Body& add_soft_tetra(Model& model, std::string name, double mass, const Mat3& J) {
  const auto node = [&] { return model.add_node(NodeKind::point); };
  const std::vector<BodySlot> slots{{{1, -0.3, -0.2, -0.1}, {{node(), 1}}, {}},
                                    {{1, 1, 0, 0.1}, {{node(), 1}}, {}},
                                    {{1, 0, 1.2, 0}, {{node(), 1}}, {}},
                                    {{0, 0.1, 0, 0.8}, {{node(), 1}}, {}}};
  const std::vector<Vec3> springs = SpringTetra::standard_springs(SpringTetra::second_moments(name, J));
  const SpringTetraOptions soft{50, false, SpringEvaluation::closed_form};
  return SpringTetra::add_to(model, std::move(name), mass, J, soft, slots, springs);
}

/// Increment of a node that leads from one end of the trial to the other.
void find_increment(const Node& node, Trial& trial) {
  local(node.kind, trial.n.values.segment(node.value, node.values()),
        trial.n1.values.segment(node.value, node.values()), trial.z.segment(node.unknown, node.unknowns()));
}

} // namespace

const std::vector<BodyMaker>& body_makers() {
  static const std::vector<BodyMaker> makers{{"frame", add<FrameBody>},
                                             {"director", add<DirectorBody>},
                                             {"spring tetra", add_spring_tetra},
                                             {"soft tetra", add_soft_tetra},
                                             {"pivoted", add_pivoted, false}};
  return makers;
}

std::vector<BodyPair> body_pairs() {
  std::vector<BodyPair> pairs;
  for (const BodyMaker& first : body_makers()) {
    pairs.push_back({nullptr, &first});
    pairs.push_back({&first, nullptr});
    for (const BodyMaker& second : body_makers())
      pairs.push_back({&first, &second});
  }
  return pairs;
}

std::ostream& operator<<(std::ostream& out, const BodyPair& pair) {
  return out << (pair.first ? pair.first->name : "ground") << "-" << (pair.second ? pair.second->name : "ground");
}

const std::vector<StepSize>& step_sizes() {
  static const std::vector<StepSize> sizes{
      {"tiny", 1e-9, 1e-9}, {"small", 1e-2, 1e-2}, {"medium", 0.5, 0.5}, {"large", 1, 2}};
  return sizes;
}

Motion random_motion(Random& random, const StepSize& size) {
  const auto rates = [&](BodyMotion& m) {
    m.velocity = random.vector();
    m.angular_velocity = random.vector();
  };
  Motion motion;
  motion.n.position = random.vector();
  motion.n.orientation = random.rotation();
  rates(motion.n);
  motion.n1.position = motion.n.position + random.vector(size.shift);
  motion.n1.orientation = exponential(random.between(0.5, 1) * size.turn * random.direction()) * motion.n.orientation;
  rates(motion.n1);
  return motion;
}

Motion followed(const Model& model, const Body& body, const Motion& motion) {
  State state = model.rest_state();
  const auto follow = [&](const BodyMotion& m) {
    body.set_motion(m, state);
    return body.motion(state);
  };
  return {follow(motion.n), follow(motion.n1)};
}

Motion turned(const Motion& motion, const Quaternion& R, const Vec3& c) {
  const auto turn = [&](const BodyMotion& m) {
    return BodyMotion{R * m.position + c, R * m.orientation, R * m.velocity, R * m.angular_velocity};
  };
  return {turn(motion.n), turn(motion.n1)};
}

PortMotions Trial::motions(const Model& model) const {
  PortMotions motions = model.port_motions();
  model.move_ports(step(), motions);
  return motions;
}

Trial make_trial(const Model& model, const std::vector<Motion>& motions, double h, const VecX& lambda) {
  Trial trial;
  trial.n = trial.n1 = model.rest_state();
  trial.h = h;
  trial.lambda = trial.n1.multipliers = lambda.size() > 0 ? lambda : VecX::Zero(model.multipliers()).eval();
  for (std::size_t b = 0; b < motions.size(); ++b) {
    model.bodies()[b]->set_motion(motions[b].n, trial.n);
    model.bodies()[b]->set_motion(motions[b].n1, trial.n1);
  }
  model.begin(trial.n);
  trial.n1.history = trial.n.history;
  trial.n1.time = h;
  trial.z.setZero(model.unknowns());
  for (const Node& node : model.nodes())
    find_increment(node, trial);
  return trial;
}

Trial random_trial(const Model& model, const StepSize& size, Random& random) {
  std::vector<Motion> motions;
  for (std::size_t b = 0; b < model.bodies().size(); ++b)
    motions.push_back(random_motion(random, size));
  const double h = random.between(0.01, 0.1);
  return make_trial(model, motions, h, random.numbers(model.multipliers()));
}

void disturb(const Model& model, double size, Random& random, Trial& trial) {
  trial.z += random.numbers(model.unknowns(), size);
  model.retract_nodes(trial.step(), trial.n1.values);
  for (const Body* body : model.bodies()) {
    const Rigidity rigidity = body->rigidity(trial.n1);
    if (!rigidity.is_exact || rigidity.e.size() == 0)
      continue;
    body->set_motion(body->motion(trial.n1), trial.n1);
    for (const Node& node : body->nodes())
      find_increment(node, trial);
  }
}

} // namespace emmy::test
