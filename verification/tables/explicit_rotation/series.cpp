#include "verification/tables/csv.hpp"
#include "verification/tables/explicit_rotation/studies.hpp"

namespace emmy::tables::rotation {

namespace {

/// Every tenth step is more than a figure shows.
void write_trace(const std::string& path, const Trace& trace, double end) {
  CsvFile file(path, "t,Omega1,Omega2,Omega3,pi1,pi2,pi3,T,E,nutation,closed_form,x,y");
  for (std::size_t i = 0; i < trace.size() && trace[i].t < end; i += 10) {
    const Sample& s = trace[i];
    const Vec3 axis = s.q * Vec3::UnitZ();
    file.add({s.t, s.Omega.x(), s.Omega.y(), s.Omega.z(), s.pi.x(), s.pi.y(), s.pi.z(), s.T, s.E, nutation(s.q),
              nutation(s.t), axis.x(), axis.y()});
  }
}

/// Ranges of every full second; a run that overflowed ends early.
void write_envelope(const std::string& path, const Record& r) {
  CsvFile file(path, "t,least,largest,error");
  for (std::size_t second = 0; second + 1 < r.nutation.size(); ++second)
    if (r.nutation[second].least <= r.nutation[second].largest)
      file.add(
          {static_cast<double>(second) + 0.5, r.nutation[second].least, r.nutation[second].largest, r.error[second]});
}

} // namespace

void Studies::write_series(const std::string& directory) const {
  for (const auto& [name, trace] : traces)
    write_trace(directory + "/unstable_" + name + ".csv", trace, 20);
  write_trace(directory + "/top.csv", top_trace, 16);
  for (const char* scheme :
       {"sw_mid", "sw_trap", "sw_sym", "pc_mid", "pc_trap", "stg_mid", "stg_trap", "pcd_mid", "lm", "split"})
    write_envelope(directory + "/top_" + scheme + "_1000.csv", top(0.01, scheme));
  for (const char* scheme : {"sw_mid", "pc_mid", "stg_mid", "pcd_mid", "pcd_points", "lm", "split"})
    write_envelope(directory + "/unstable_" + scheme + "_1000.csv", unstable(0.001, scheme));
}

} // namespace emmy::tables::rotation
