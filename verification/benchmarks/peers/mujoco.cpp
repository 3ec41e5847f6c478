/// MuJoCo: relative coordinates along the tree. Its settings are left as they are, apart from the integrator and the
/// compliance of the equality constraints that close loops: as stiff as steps of a millisecond allow, which costs
/// nothing and takes three digits off the error.

#include "verification/benchmarks/peers/peer.hpp"

#include <mujoco/mujoco.h>

#include <array>
#include <cstdio>
#include <cstring>
#include <stdexcept>

namespace emmy::benchmark {

namespace {

std::string numbers(std::initializer_list<double> list) {
  std::string text;
  for (const double x : list) {
    char number[32];
    std::snprintf(number, sizeof number, "%s%.17g", text.empty() ? "" : " ", x);
    text += number;
  }
  return text;
}
std::string numbers(const Vec3& x) {
  return numbers({x.x(), x.y(), x.z()});
}

std::string body_name(int i) {
  return "b" + std::to_string(i);
}

/// One attribute of an element.
std::string with(const char* name, const std::string& value) {
  return std::string(" ") + name + "=\"" + value + "\"";
}

/// The opening of a body with its inertia and the joint by which it hangs. Bodies stand where they start, so that
/// MuJoCo's reference is our start.
std::string body_text(const Mechanism& mechanism, int i, const Mechanism::Joint& joint) {
  const Mechanism::Body& body = mechanism.body(i);
  const int parent = joint.first.body;
  const Quaternion from = mechanism.orientation(parent), q = from.conjugate() * body.start.orientation;
  const Vec3 x = from.conjugate() * (body.start.position - mechanism.position({parent, Vec3::Zero()}));
  std::string text = "<body" + with("name", body_name(i)) + with("pos", numbers(x)) +
                     with("quat", numbers({q.w(), q.x(), q.y(), q.z()})) + "><inertial" + with("pos", "0 0 0") +
                     with("mass", numbers({body.mass})) + with("diaginertia", numbers(body.inertia)) + "/><joint" +
                     with("type", joint.is_hinge() ? "hinge" : "ball") + with("pos", numbers(joint.second.at));
  if (joint.is_hinge())
    text += with("axis", numbers(body.start.orientation.conjugate() * joint.axis));
  return text + "/>";
}

std::string loop_text(const Mechanism::Joint& joint) {
  return "<connect" + with("solref", "0.002 1") + with("solimp", "0.9999 0.9999 0.001") +
         with("body1", body_name(joint.second.body)) + with("body2", body_name(joint.first.body)) +
         with("anchor", numbers(joint.second.at)) + "/>";
}

/// The mechanism in MuJoCo's language, in which bodies stand inside those that they hang from.
std::string model_text(const Mechanism& mechanism, const SpanningTree& tree, const char* integrator) {
  std::vector<std::vector<int>> children(mechanism.bodies.size() + 1); // of the ground, then of the bodies
  const auto children_of = [&](int body) -> std::vector<int>& { return children[static_cast<std::size_t>(body + 1)]; };
  for (int i = 0; i < mechanism.size(); ++i)
    children_of(tree.parent[static_cast<std::size_t>(i)]->first.body).push_back(i);

  const std::size_t rows = 500 + 3 * tree.loops.size(); // what MuJoCo has room for by default, and the loops
  std::string text = "<mujoco><compiler angle=\"radian\"/><option" + with("integrator", integrator) +
                     with("gravity", numbers(mechanism.gravity)) + "/><size" + with("njmax", std::to_string(rows)) +
                     "/><worldbody>";
  struct Open {
    int body;
    std::size_t next; ///< child
  };
  std::vector<Open> open = {{Mechanism::ground, 0}};
  while (!open.empty()) {
    Open& top = open.back();
    if (top.next < children_of(top.body).size()) {
      const int i = children_of(top.body)[top.next++];
      text += body_text(mechanism, i, *tree.parent[static_cast<std::size_t>(i)]);
      open.push_back({i, 0});
    } else {
      text += top.body == Mechanism::ground ? "</worldbody>" : "</body>";
      open.pop_back();
    }
  }
  text += "<equality>";
  for (const Mechanism::Joint* joint : tree.loops)
    text += loop_text(*joint);
  return text + "</equality></mujoco>";
}

struct DeleteModel {
  void operator()(mjModel* m) const { mj_deleteModel(m); }
};
struct DeleteData {
  void operator()(mjData* d) const { mj_deleteData(d); }
};

std::unique_ptr<mjModel, DeleteModel> compiled(const std::string& text) {
  auto files = std::make_unique<mjVFS>(); // a model is read from a file, or from one in memory
  mj_defaultVFS(files.get());
  if (mj_makeEmptyFileVFS(files.get(), "model.xml", static_cast<int>(text.size())) != 0)
    throw std::runtime_error("MuJoCo: no room for the model");
  std::memcpy(files->filedata[0], text.data(), text.size());
  std::array<char, 1000> why{};
  std::unique_ptr<mjModel, DeleteModel> model(mj_loadXML("model.xml", files.get(), why.data(), why.size()));
  mj_deleteVFS(files.get());
  if (!model)
    throw std::runtime_error(std::string("MuJoCo: ") + why.data());
  return model;
}

class MujocoSimulation final : public Simulation {
public:
  MujocoSimulation(const Mechanism& mechanism, const char* integrator)
      : mechanism_size_(mechanism.size()), tree_(mechanism), model_(compiled(model_text(mechanism, tree_, integrator))),
        data_(mj_makeData(model_.get())), scratch_(mj_makeData(model_.get())) {
    for (int i = 0; i < mechanism.size(); ++i)
      set_rate(mechanism, i);
  }

  void step(double h) override {
    model_->opt.timestep = h;
    mj_step(model_.get(), data_.get());
  }

  std::vector<BodyMotion> motions() const override {
    mj_copyData(scratch_.get(), model_.get(), data_.get()); // what follows would change the next step's start values
    mj_forward(model_.get(), scratch_.get());
    std::vector<BodyMotion> list;
    for (int i = 0; i < mechanism_size_; ++i) {
      const int id = mj_name2id(model_.get(), mjOBJ_BODY, body_name(i).c_str());
      const mjtNum *x = scratch_->xipos + 3 * id, *q = scratch_->xquat + 4 * id;
      std::array<mjtNum, 6> v{}; // angular, then linear, in space
      mj_objectVelocity(model_.get(), scratch_.get(), mjOBJ_BODY, id, v.data(), 0);
      list.push_back(
          {Vec3(x[0], x[1], x[2]), Quaternion(q[0], q[1], q[2], q[3]), Vec3(v[3], v[4], v[5]), Vec3(v[0], v[1], v[2])});
    }
    return list;
  }

private:
  /// Rate of the joint by which body i hangs.
  void set_rate(const Mechanism& mechanism, int i) {
    const Mechanism::Joint& joint = *tree_.parent[static_cast<std::size_t>(i)];
    const Vec3 of_parent = joint.first.body == Mechanism::ground
                               ? Vec3(Vec3::Zero())
                               : mechanism.body(joint.first.body).start.angular_velocity;
    const Vec3 omega = mechanism.body(i).start.angular_velocity - of_parent;
    mjtNum* rate = data_->qvel + model_->body_dofadr[mj_name2id(model_.get(), mjOBJ_BODY, body_name(i).c_str())];
    if (joint.is_hinge())
      *rate = joint.axis.dot(omega);
    else
      Eigen::Map<Vec3>(rate, 3) = mechanism.orientation(i).conjugate() * omega;
  }

  int mechanism_size_;
  SpanningTree tree_;
  std::unique_ptr<mjModel, DeleteModel> model_;
  std::unique_ptr<mjData, DeleteData> data_, scratch_;
};

} // namespace

std::unique_ptr<Simulation> mujoco_euler(const Mechanism& mechanism) {
  return std::make_unique<MujocoSimulation>(mechanism, "Euler");
}

std::unique_ptr<Simulation> mujoco_rk4(const Mechanism& mechanism) {
  return std::make_unique<MujocoSimulation>(mechanism, "RK4");
}

} // namespace emmy::benchmark
