/** Frames written by hand, as a broken or hostile agent would. */
export const FrameBytes = {
  open: (id: number, header: Buffer) => frame(0x10, id, header),
  data: (id: number, payload: Buffer) => frame(0x20, id, payload),
  control: (json: string) => frame(0x70, 0, Buffer.from(json)),
}

function frame(typeAndFlags: number, id: number, payload: Buffer): Buffer {
  const header = Buffer.alloc(8)
  header.writeUInt32BE(((payload.length << 8) | typeAndFlags) >>> 0)
  header.writeUInt32BE(id, 4)
  return Buffer.concat([header, payload])
}
