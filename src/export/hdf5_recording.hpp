// A run as an HDF5 file: states, diagnostics and contacts of every step that is kept.
//
// The file grows as the run goes, in HDF5's mode for one writer and many readers: others may read it meanwhile, and if the
// program is killed it is good up to the last batch of steps. Memory holds one batch.
#pragma once

#include <memory>
#include <string>

#include "export/recording.hpp"
#include "export/scene_description.hpp"
#include "scene/scene_model.hpp"

namespace cairn {

class Hdf5Recording : public Recording {
 public:
  // `every` says which steps are recorded, for those who read it. Throws ExportFailure, like the others.
  Hdf5Recording(std::string path, const SceneModel& model, const SceneDescription& scene, int every);
  ~Hdf5Recording() override;

  bool wantsContacts() const override { return true; }
  void record(const Moment& moment) override;
  void finish(const std::string& report) override;

 private:
  template <class Work>
  void orFail(Work work);

  std::string path_;
  bool isOurs_ = false;  // there was no such file before, or it is written over
  std::unique_ptr<struct Hdf5RecordingFile> file_;
};

}  // namespace cairn
