# The target cairn_other_engines, if all of them are found: Bullet, ODE and MuJoCo (Debian: libbullet-dev, libode-dev,
# libmujoco-dev). For comparisons only, in cairn-bench and its tests.
include_guard(GLOBAL)
find_path(CAIRN_BULLET_INCLUDE btBulletDynamicsCommon.h PATH_SUFFIXES bullet)
find_library(CAIRN_BULLET_DYNAMICS BulletDynamics)
find_library(CAIRN_BULLET_COLLISION BulletCollision)
find_library(CAIRN_BULLET_MATH LinearMath)
find_path(CAIRN_ODE_INCLUDE ode/ode.h)
find_library(CAIRN_ODE ode)
find_path(CAIRN_MUJOCO_INCLUDE mujoco/mujoco.h)
find_library(CAIRN_MUJOCO mujoco)
set(engine_parts CAIRN_BULLET_INCLUDE CAIRN_BULLET_DYNAMICS CAIRN_BULLET_COLLISION CAIRN_BULLET_MATH CAIRN_ODE_INCLUDE CAIRN_ODE
  CAIRN_MUJOCO_INCLUDE CAIRN_MUJOCO)
mark_as_advanced(${engine_parts})
foreach(part IN LISTS engine_parts)
  if(NOT ${part})
    message(STATUS "The engines of cairn-bench were not all found: no cairn_bench")
    return()
  endif()
endforeach()

add_library(cairn_other_engines INTERFACE)
# As system folders: their headers do not compile without warnings.
target_include_directories(cairn_other_engines SYSTEM INTERFACE ${CAIRN_BULLET_INCLUDE} ${CAIRN_ODE_INCLUDE} ${CAIRN_MUJOCO_INCLUDE})
target_link_libraries(cairn_other_engines INTERFACE ${CAIRN_BULLET_DYNAMICS} ${CAIRN_BULLET_COLLISION} ${CAIRN_BULLET_MATH}
  ${CAIRN_ODE} ${CAIRN_MUJOCO})
