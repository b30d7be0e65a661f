// Writes binary frames from the words of docs/lab-protocol.md, byte by byte, without the page's own code.
// spec: bodies of { slot, position, rotation, flags?, island?, layer?, box? }; epoch?, number?, time?, step?, contacts? (11 numbers each),
// hasIslands?, hasBoxes?
export function frameBytes(spec) {
  const bytes = [];
  const put = (size, write) => {
    const view = new DataView(new ArrayBuffer(size));
    write(view);
    for (let k = 0; k < size; ++k) bytes.push(view.getUint8(k));
  };
  const u32 = (value) => put(4, (view) => view.setUint32(0, value, true));
  const i32 = (value) => put(4, (view) => view.setInt32(0, value, true));
  const f32 = (value) => put(4, (view) => view.setFloat32(0, value, true));
  for (const letter of "CARN") bytes.push(letter.charCodeAt(0));
  u32((spec.contacts ? 1 : 0) + (spec.hasIslands ? 2 : 0) + (spec.hasBoxes ? 4 : 0));
  u32(spec.epoch ?? 1);
  u32(spec.number ?? 1);
  put(8, (view) => view.setFloat64(0, spec.time ?? 0, true));
  u32(spec.step ?? 0);
  u32(spec.bodies.length);
  for (const body of spec.bodies) u32(body.slot);
  for (const body of spec.bodies) body.position.forEach(f32);
  for (const body of spec.bodies) body.rotation.forEach(f32);
  for (const body of spec.bodies) bytes.push(body.flags ?? 0);
  while (bytes.length % 4 !== 0) bytes.push(0);
  if (spec.contacts) {
    u32(spec.contacts.length);
    for (const contact of spec.contacts) contact.forEach(f32);
  }
  if (spec.hasIslands) {
    for (const body of spec.bodies) i32(body.island ?? -1);
    for (const body of spec.bodies) i32(body.layer ?? -1);
  }
  if (spec.hasBoxes) for (const body of spec.bodies) (body.box ?? [0, 0, 0, 0, 0, 0]).forEach(f32);
  return Uint8Array.from(bytes).buffer;
}
