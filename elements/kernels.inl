// Every element that is evaluated in batches, one line each; included by the sources of kernels.
#include "elements/forces/force_equations.hpp"
#include "elements/forces/load_equations.hpp"
#include "elements/joints/coupler_equations.hpp"
#include "elements/joints/drive_equations.hpp"
#include "elements/joints/joint_equations.hpp"
#include "elements/limits/limit_equations.hpp"

EMMY_KERNELS(SphericalEquations)
EMMY_KERNELS(RevoluteEquations)
EMMY_KERNELS(UniversalEquations)
EMMY_KERNELS(ConstantVelocityEquations)
EMMY_KERNELS(FixedEquations)
EMMY_KERNELS(PrismaticEquations)
EMMY_KERNELS(CylindricalEquations)
EMMY_KERNELS(ScrewEquations)
EMMY_KERNELS(PlanarEquations)
EMMY_KERNELS(DistanceEquations)
EMMY_KERNELS(PointOnLineEquations)
EMMY_KERNELS(PointOnPlaneEquations)
EMMY_KERNELS(ParallelAxesEquations)
EMMY_KERNELS(SpringDamperEquations)
EMMY_KERNELS(TranslationalSpringEquations)
EMMY_KERNELS(RotationalSpringEquations)
EMMY_KERNELS(BushingEquations)
EMMY_KERNELS(AngleDriveEquations)
EMMY_KERNELS(DisplacementDriveEquations)
EMMY_KERNELS(CoupledAngleEquations)
EMMY_KERNELS(CoupledDisplacementEquations)
EMMY_KERNELS(DisplacementLimitEquations<1>)
EMMY_KERNELS(DisplacementLimitEquations<2>)
EMMY_KERNELS(LengthLimitEquations<1>)
EMMY_KERNELS(LengthLimitEquations<2>)
EMMY_KERNELS(AngleLimitEquations<1>)
EMMY_KERNELS(AngleLimitEquations<2>)
EMMY_KERNELS(SpaceForceEquations<InstantPart::given>)
EMMY_KERNELS(FollowerForceEquations)
EMMY_KERNELS(BodyForceEquations)
EMMY_KERNELS(TorqueEquations<false>)
EMMY_KERNELS(TorqueEquations<true>)
