"""A recording through h5py: `csv IN OUT` writes what the run's CSV says, `rows IN [swmr]` prints how many rows are whole."""

import json
import sys

import h5py
import numpy


def whole_rows(file):
    """Rows that are there in every table, with their contacts."""
    steps, contacts = file["steps"], file["contacts"]
    rows = min(len(steps[name]) for name in steps)
    have = min(len(contacts[name]) for name in contacts)
    ends = steps["contacts_end"][:rows]
    return int(numpy.searchsorted(ends, have, side="right"))


def write_csv(source, target):
    with h5py.File(source) as file, open(target, "w") as out:
        names = [name.decode() for name in file["bodies/name"][:]]
        kinds = [kind.decode() for kind in file["bodies/kind"][:]]
        scene = json.loads(bytes(file["scene"][:]))
        assert [body["name"] for body in scene["bodies"]] == names
        assert [body["kind"] for body in scene["bodies"]] == kinds
        assert json.loads(bytes(file["report"][:]))["steps"] == file["steps/step"][-1]
        out.write("time,body,px,py,pz,qw,qx,qy,qz,vx,vy,vz,wx,wy,wz\n")
        steps = file["steps"]
        columns = numpy.concatenate([steps[name][:] for name in ("positions", "rotations", "velocities", "spins")], axis=2)
        for time, row in zip(steps["time"][:], columns):
            for name, kind, numbers in zip(names, kinds, row):
                if kind != "static" and not numpy.isnan(numbers).any():
                    out.write(",".join([repr(float(time)), name] + [repr(float(number)) for number in numbers]) + "\n")


def print_facts(source):
    """Sums that a test can check against the report of the run."""
    with h5py.File(source) as file:
        steps, contacts = file["steps"], file["contacts"]
        ends = steps["contacts_end"][:]
        assert ends[-1] == len(contacts["point"]) and (numpy.diff(ends) >= 0).all()
        normals = contacts["normal"][:]
        assert numpy.allclose(numpy.linalg.norm(normals, axis=1), 1, atol=1e-5)
        residual = steps["residual"][:]
        # The impulses on a body over the last step, against what stops gravity: checked by the caller.
        first = ends[-2] if len(ends) > 1 else 0
        up = contacts["impulse"][first:][:, 2].sum()
        facts = {
            "rows": len(ends),
            "contacts_max": int(steps["contacts"][:].max()),
            "penetration_max": float(steps["penetration"][1:].max()),
            "energy_end": float(steps["kinetic"][-1] + steps["potential"][-1]),
            "residual_max": float(numpy.nanmax(residual)),
            "state_hash": "%016x" % steps["state_hash"][-1],
            "last_up": float(up),
            "last_count": int(ends[-1] - first),
            "phases": file.attrs["phases"].decode() if isinstance(file.attrs["phases"], bytes) else str(file.attrs["phases"]),
            "phase_share": float(steps["phase_ms"][1:].sum() / steps["ms"][1:].sum()),
            "mass": [float(mass) for mass in file["bodies/mass"][:]],
            "dt": float(file.attrs["dt"]),
        }
        print(json.dumps(facts))


if __name__ == "__main__":
    if sys.argv[1] == "csv":
        write_csv(sys.argv[2], sys.argv[3])
    elif sys.argv[1] == "facts":
        print_facts(sys.argv[2])
    else:
        with h5py.File(sys.argv[2], "r", swmr=len(sys.argv) > 3) as file:
            count = whole_rows(file)
            assert not numpy.isnan(file["steps/positions"][:count]).any()
            print(count)
