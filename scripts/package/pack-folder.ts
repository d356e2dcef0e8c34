import { join } from 'node:path'
import { runNpm } from './run-npm.ts'

export interface Packed {
  /** Path of the tarball. */
  file: string
  name: string
  version: string
}

/** Makes the tarball of a package that is complete: its scripts are not run. The same files and npm give the same bytes. */
export async function packFolder(folder: string, output: string): Promise<Packed> {
  const args = ['pack', folder, '--pack-destination', output, '--json', '--ignore-scripts', '--loglevel=error']
  const packed: unknown = JSON.parse(await runNpm(args))
  // npm 12 writes an object by name instead of a list.
  const [{ filename, name, version }] = Object.values(packed as object) as [Packed & { filename: string }]
  return { file: join(output, filename), name, version }
}
