import { crc32, deflateRawSync, gzipSync } from 'node:zlib'

/** An entry of a zip, with wrong values where a test needs them. */
export interface ZipPart {
  name: string | Buffer
  content?: Buffer | string
  /** Type and permissions of Unix. */
  mode?: number
  method?: number
  flags?: number
  crc?: number
  /** The size that the directory announces. */
  size?: number
  /** The name in the local header. */
  localName?: string
  /** The version of the format that the directory announces. */
  version?: number
  /** Uses the bytes of an earlier entry. */
  sharesWith?: number
}

/** Writes a zip byte by byte. Contents are compressed unless the method is 0. */
export function makeZip(parts: readonly ZipPart[], announced = parts.length): Buffer {
  const bodies: Buffer[] = []
  const heads: Buffer[] = []
  const offsets: number[] = []
  let at = 0
  for (const part of parts) {
    const { content = '', mode = 0o100644, method = 8, flags = 0x0800 } = part
    const plain = Buffer.from(content)
    const packed = method === 8 ? deflateRawSync(plain) : plain
    const crc = part.crc ?? crc32(plain)
    const size = part.size ?? plain.length
    const common = (name: Buffer, version = 20) => {
      const head = Buffer.alloc(26)
      head.writeUInt16LE(version, 0)
      head.writeUInt16LE(flags, 2)
      head.writeUInt16LE(method, 4)
      head.writeUInt16LE(33, 8)
      head.writeUInt32LE(crc, 10)
      head.writeUInt32LE(packed.length, 14)
      head.writeUInt32LE(size, 18)
      head.writeUInt16LE(name.length, 22)
      return head
    }
    const name = Buffer.from(part.name as string)
    const localName = Buffer.from(part.localName ?? name)
    const offset = part.sharesWith === undefined ? at : (offsets[part.sharesWith] ?? 0)
    offsets.push(offset)
    if (part.sharesWith === undefined) {
      const body = Buffer.concat([Buffer.from('PK\x03\x04'), common(localName), localName, packed])
      bodies.push(body)
      at += body.length
    }
    const rest = Buffer.alloc(14)
    rest.writeUInt32LE((mode << 16) >>> 0, 6)
    rest.writeUInt32LE(offset, 10)
    heads.push(Buffer.concat([Buffer.from('PK\x01\x02'), Buffer.from([20, 3]), common(name, part.version), rest, name]))
  }
  const directory = Buffer.concat(heads)
  const end = Buffer.alloc(18)
  end.writeUInt16LE(announced, 4)
  end.writeUInt16LE(announced, 6)
  end.writeUInt32LE(directory.length, 8)
  end.writeUInt32LE(at, 12)
  return Buffer.concat([...bodies, directory, Buffer.from('PK\x05\x06'), end])
}

/** An entry of a tar, with wrong values where a test needs them. */
export interface TarPart {
  name: string
  content?: Buffer | string
  /** '0' = file, '1' = hard link, '2' = symbolic link, '3' and '4' = devices, '5' = folder, '6' = pipe, 'x' = PAX. */
  type?: string
  link?: string
  /** The size that the header announces. */
  size?: number
}

/** Writes a tar byte by byte. */
export function makeTar(parts: readonly TarPart[], hasEnd = true): Buffer {
  const blocks = parts.flatMap(({ name, content = '', type = '0', link = '', size }) => {
    const body = Buffer.from(content)
    const header = Buffer.alloc(512)
    header.write(name, 0, 100)
    header.write('0000644\0', 100)
    header.write('0000000\0', 108)
    header.write('0000000\0', 116)
    header.write(`${(size ?? body.length).toString(8).padStart(11, '0')}\0`, 124)
    header.write('00000000000\0', 136)
    header.write(type, 156)
    header.write(link, 157, 100)
    header.write('ustar\x0000', 257)
    header.fill(' ', 148, 156)
    const sum = header.reduce((total, byte) => total + byte, 0)
    header.write(`${sum.toString(8).padStart(6, '0')}\0 `, 148)
    return [header, body, Buffer.alloc((512 - (body.length % 512)) % 512)]
  })
  return Buffer.concat([...blocks, Buffer.alloc(hasEnd ? 1024 : 0)])
}

export function makeTarGz(parts: readonly TarPart[], hasEnd = true): Buffer {
  return gzipSync(makeTar(parts, hasEnd))
}
