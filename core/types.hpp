#pragma once
/// Vector and matrix names used throughout emmy. Everything is in SI units.

#include <Eigen/Dense>

namespace emmy {

using Index = Eigen::Index;
using Vec3 = Eigen::Vector3d;
using Vec4 = Eigen::Vector4d;
using Mat3 = Eigen::Matrix3d;
using Vec12 = Eigen::Matrix<double, 12, 1>;
using VecX = Eigen::VectorXd;
using MatX = Eigen::MatrixXd;

/// Where a matrix may ever be non-zero: entries that are not 0. Products and sums of patterns are patterns.
using Pattern = Eigen::MatrixXi;

/// Views that an element writes to: the caller owns and zeroes the buffers, the element adds.
using VectorRef = Eigen::Ref<VecX>;
using ConstVectorRef = Eigen::Ref<const VecX>;
using MatrixRef = Eigen::Ref<MatX, 0, Eigen::OuterStride<>>;

} // namespace emmy
