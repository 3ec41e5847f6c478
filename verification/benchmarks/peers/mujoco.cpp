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

/// The mechanism in MuJoCo's language: bodies stand where they start, so that its reference is our start.
std::string model_text(const Mechanism& mechanism, const SpanningTree& tree, const char* integrator) {
  std::vector<std::vector<int>> children(mechanism.bodies.size() + 1); // the last are those of the ground
  for (int i = 0; i < mechanism.size(); ++i) {
    const int parent = tree.parent[static_cast<std::size_t>(i)]->first.body;
    children[parent == Mechanism::ground ? mechanism.bodies.size() : static_cast<std::size_t>(parent)].push_back(i);
  }
  std::string text = std::string("<mujoco><compiler angle=\"radian\"/><option integrator=\"") + integrator +
                     "\" gravity=\"" + numbers(mechanism.gravity) + "\"/><worldbody>";
  struct Open {
    int body;
    std::size_t next = 0; ///< child
  };
  std::vector<Open> open = {{Mechanism::ground}};
  while (!open.empty()) {
    Open& top = open.back();
    const auto& of_top =
        children[top.body == Mechanism::ground ? mechanism.bodies.size() : static_cast<std::size_t>(top.body)];
    if (top.next == of_top.size()) {
      text += top.body == Mechanism::ground ? "</worldbody>" : "</body>";
      open.pop_back();
      continue;
    }
    const int i = of_top[top.next++];
    const Mechanism::Body& body = mechanism.body(i);
    const Mechanism::Joint& joint = *tree.parent[static_cast<std::size_t>(i)];
    const int parent = top.body;
    const Quaternion from = mechanism.orientation(parent), q = from.conjugate() * body.start.orientation;
    const Vec3 origin = parent == Mechanism::ground ? Vec3(Vec3::Zero()) : mechanism.body(parent).start.position;
    text += "<body name=\"" + body_name(i) + "\" pos=\"" + numbers(from.conjugate() * (body.start.position - origin)) +
            "\" quat=\"" + numbers({q.w(), q.x(), q.y(), q.z()}) + "\"><inertial pos=\"0 0 0\" mass=\"" +
            numbers({body.mass}) + "\" diaginertia=\"" + numbers(body.inertia) + "\"/><joint type=\"" +
            (joint.is_hinge() ? "hinge" : "ball") + "\" pos=\"" + numbers(joint.second.at) + "\"";
    if (joint.is_hinge())
      text += " axis=\"" + numbers(body.start.orientation.conjugate() * joint.axis) + "\"";
    text += "/>";
    open.push_back({i});
  }
  if (!tree.loops.empty()) {
    text += "<equality>";
    for (const Mechanism::Joint* joint : tree.loops)
      text += "<connect solref=\"0.002 1\" solimp=\"0.9999 0.9999 0.001\" body1=\"" + body_name(joint->second.body) +
              "\" body2=\"" + body_name(joint->first.body) + "\" anchor=\"" + numbers(joint->second.at) + "\"/>";
    text += "</equality>";
  }
  return text + "</mujoco>";
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
