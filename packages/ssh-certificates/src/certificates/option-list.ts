import { WireReader } from '../wire/reader.ts'
import { WireWriter } from '../wire/writer.ts'
import type { CertificateOptions } from './certificate-content.ts'

/** Packs options as OpenSSH demands: sorted by name, and a text is a string inside the data string. */
export function packOptions(options: CertificateOptions): Buffer {
  const packed = new WireWriter()
  for (const [name, text] of Object.entries(options).sort(byNameBytes)) {
    packed.string(name).string(text === '' ? '' : new WireWriter().string(text).toBuffer())
  }
  return packed.toBuffer()
}

/** Throws `WireError` for data that is neither a flag nor one text. */
export function unpackOptions(bytes: Buffer): CertificateOptions {
  const reader = new WireReader(bytes)
  const entries: [string, string][] = []
  while (!reader.isAtEnd) entries.push([reader.text(), unpackText(reader.string())])
  return Object.fromEntries(entries)
}

function unpackText(data: Buffer): string {
  if (data.length === 0) return ''
  const reader = new WireReader(data)
  const text = reader.text()
  reader.end()
  return text
}

function byNameBytes([a]: readonly [string, string], [b]: readonly [string, string]): number {
  return Buffer.compare(Buffer.from(a), Buffer.from(b))
}
