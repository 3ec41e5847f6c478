#include "io/history.hpp"

#include "core/counted.hpp"
#include "io/channels/catalogue.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>

namespace emmy {

namespace {

long stride_of(double every, int every_steps, double step) {
  if (every_steps > 0)
    return every_steps;
  return step > 0 ? std::lround(std::clamp(every / step, 1.0, 1e15)) : 1;
}

} // namespace

std::vector<RowsPlan> plan_rows(const std::vector<ChannelSource>& sources, const deck::Output& output, double step) {
  std::vector<RowsPlan> plans;
  plans.push_back({"history.csv", "output",
                   output.by_channels ? ChosenColumns(sources, output.channels) : ChosenColumns(sources, output),
                   stride_of(output.every, output.every_steps, step)});
  for (const deck::OutputGroup& group : output.groups)
    plans.push_back({"history." + group.name + ".csv", "output.groups." + group.name,
                     ChosenColumns(sources, group.channels), stride_of(group.every, group.every_steps, step)});
  return plans;
}

History::History(const BuiltModel& built, const deck::Output& output, double step, const ContactLog* contacts, Planned)
    : built_(built), sources_(channels_of(built, output, contacts)) {
  for (RowsPlan& plan : plan_rows(sources_, output, step)) {
    std::string head = plan.columns.head(output.units);
    files_.push_back({std::move(plan), std::move(head), nullptr, 0, 0, {}});
  }
}

History::History(const std::string& directory, const BuiltModel& built, const deck::Output& output, double step,
                 const ContactLog* contacts)
    : History(built, output, step, contacts, Planned{}) {
  for (Rows& rows : files_) {
    rows.file = std::make_unique<TextFile>(directory + "/" + rows.plan.name);
    rows.file->write(rows.head + "\n");
    rows.file->flush();
  }
}

History::History(const std::string& directory, const BuiltModel& built, const deck::Output& output, double step,
                 const ContactLog* contacts, const HistoryMark& mark)
    : History(built, output, step, contacts, Planned{}) {
  for (std::size_t i = 0; i < files_.size(); ++i) {
    files_[i].file = std::make_unique<TextFile>(directory + "/" + files_[i].plan.name, mark[i].all.file);
    files_[i].count = mark[i].all.rows;
    files_[i].last_time = mark[i].all.last_time;
    if (mark[i].due.file != mark[i].all.file)
      files_[i].due = mark[i].due;
  }
}

HistoryMark History::mark() {
  HistoryMark marks;
  for (Rows& rows : files_) {
    const RowsEnd all = rows.end();
    marks.push_back({rows.plan.name, rows.head, rows.plan.stride, all, rows.due.value_or(all)});
  }
  return marks;
}

void History::sync() {
  for (Rows& rows : files_)
    rows.file->sync();
}

void History::observe(const Simulation& simulation, long step) {
  const bool is_last = step == simulation.steps_planned();
  const bool is_whole = !is_last || simulation.ends_with_whole_step();
  wanted_.clear();
  for (Rows& rows : files_) {
    const bool is_due = step % rows.plan.stride == 0 && is_whole;
    if (is_last && !is_due)
      rows.due = rows.end();
    if (is_due || is_last)
      wanted_.push_back(&rows);
  }
  write_state(simulation, wanted_);
}

void History::finish(const Simulation& simulation) {
  wanted_.clear();
  for (Rows& rows : files_)
    if (rows.count == 0 || simulation.state().time != rows.last_time)
      wanted_.push_back(&rows);
  write_state(simulation, wanted_);
  for (Rows& rows : files_)
    rows.file->flush();
}

void History::write_state(const Simulation& simulation, const std::vector<Rows*>& files) {
  if (files.empty())
    return;
  const State& state = simulation.state();
  if (simulation.has_step()) {
    const std::vector<StepStage> parts = simulation.integrator().last_stages();
    write_moment({state, simulation.integrator().last_moved_step(), true, parts, simulation.ledger()}, files);
    return;
  }
  const VecX still = VecX::Zero(built_.model->unknowns());
  const Step step{state, no_time, 0, still, state.multipliers};
  PortMotions motions = built_.model->port_motions();
  built_.model->move_ports(step, motions);
  write_moment({state, {step, motions}, false, {}, simulation.ledger()}, files);
}

void History::write_equilibrium(const State& state) {
  const VecX still = VecX::Zero(built_.model->unknowns());
  const Step step{state, no_time, 0, still, state.multipliers}; // 1/h = 0: time stands still
  PortMotions motions = built_.model->port_motions();
  built_.model->move_ports(step, motions);
  Ledger ledger;
  ledger.open(built_.model->books_at(state));
  const std::vector<StepStage> parts{{1, {step, motions}}};
  wanted_.clear();
  for (Rows& rows : files_)
    wanted_.push_back(&rows);
  write_moment({state, parts.front().step, true, parts, ledger}, wanted_);
  for (Rows& rows : files_)
    rows.file->flush();
}

void History::write_moment(const Moment& moment, const std::vector<Rows*>& files) {
  for (Rows* rows : files)
    write_row(*rows, moment);
}

void History::write_row(Rows& rows, const Moment& moment) {
  const std::vector<Column>& columns = rows.plan.columns.columns();
  constexpr std::size_t longest = 32; // of a number: 24 characters and a comma
  line_.resize((columns.size() + 1) * longest);
  char* next = line_.data();
  const auto number = [&](double x) { next = std::to_chars(next, next + longest, x).ptr; };
  number(moment.state.time);
  const std::vector<double>& numbers = rows.plan.columns.read(moment);
  for (const Column& column : columns) {
    *next++ = ',';
    number(numbers[column.at]);
  }
  *next++ = '\n';
  line_.resize(static_cast<std::size_t>(next - line_.data()));
  rows.file->write(line_);
  ++rows.count;
  rows.last_time = moment.state.time;
}

std::string History::summary() const {
  std::string text;
  for (const Rows& rows : files_)
    text += (text.empty() ? "" : ", ") + rows.plan.name + " (" + counted(rows.count, "row", "rows") + ")";
  return text;
}

} // namespace emmy
