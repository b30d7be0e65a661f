"""Contact problems through h5py: `velocity IN OUT` computes W lambda + b from a file, `write OUT [LIBVER]` writes two problems."""
import sys

import h5py
import numpy as np


def velocity(source, target):
    with h5py.File(source) as file:
        assert file.attrs["format"] == b"cairn-contact-problem 1"
        problem = file["problems/0000"]
        assert problem.attrs["name"] == b"nine" and problem.attrs["speed_floor"] == 0.25
        assert list(problem["group_solvers"].asstr()) == ["bgs", "lemke"]
        assert set(problem["blocks/law"].asstr()) == {"free", "pyramid"}
        assert set(problem["blocks/facets"][:]) == {0, 8}
        size = problem["blocks/size"][:]
        rows, bodies = size.sum(), len(problem["bodies/inverse_mass"])
        inverse_mass = np.zeros((6 * bodies, 6 * bodies))
        for i in range(bodies):
            inverse_mass[6 * i:6 * i + 3, 6 * i:6 * i + 3] = problem["bodies/inverse_mass"][i] * np.eye(3)
            inverse_mass[6 * i + 3:6 * i + 6, 6 * i + 3:6 * i + 6] = problem["bodies/inverse_inertia"][i]
        jacobian = np.zeros((rows, 6 * bodies))
        block_of_row = np.repeat(np.arange(len(size)), size)
        for side in "ab":
            body = problem["jacobians/body_" + side][:][block_of_row]
            for row in np.flatnonzero(body >= 0):
                jacobian[row, 6 * body[row]:6 * body[row] + 6] += problem["jacobians/part_" + side][row]
        gamma = np.diag(problem["rows/compliance"][:])
        b = jacobian @ problem["bodies/free_velocity"][:].ravel() + problem["rows/bias"][:]
        w = jacobian @ inverse_mass @ jacobian.T + gamma
        np.savetxt(target, w @ problem["solution"][:] + b, fmt="%.17g")


def write(target, libver="latest"):
    with h5py.File(target, "w", libver=libver) as file:
        file.attrs["format"] = np.bytes_("cairn-contact-problem 1")
        one = file.create_group("problems/0000")
        one.attrs["name"] = np.bytes_("a block on a floor")
        one["blocks/law"] = np.array(["cone"], dtype="S")
        one["blocks/size"] = [3]
        one["blocks/friction"] = [[0.5, 0.5]]
        one["rows/bias"] = np.array([-1.0, 0.25, 0.0], dtype=np.float32)
        one["delassus/row_start"] = [0, 1, 2, 3]
        one["delassus/column"] = [0, 1, 2]
        one["delassus/value"] = [0.5, 0.5, 0.5]
        two = file.create_group("problems/0001")
        two["blocks/law"] = np.array(["interval"] * 50, dtype="S20")
        two.create_dataset("blocks/size", data=np.full(50, 6), compression="gzip")
        two.create_dataset("rows/upper", data=np.full(300, 0.5), compression="gzip", shuffle=True, fletcher32=True)
        two["rows/bias"] = -np.arange(300)
        two["delassus/row_start"] = np.arange(301)
        two["delassus/column"] = np.arange(300, dtype=np.uint16)
        two["delassus/value"] = np.ones(300)


{"velocity": velocity, "write": write}[sys.argv[1]](*sys.argv[2:])
