import { accessSync, constants } from 'node:fs'
import { delimiter, isAbsolute, join } from 'node:path'

/** Finds a program in a search path. Folders that are not absolute are left out: they depend on where the server was started. */
export function findInPath(name: string, path = process.env.PATH ?? ''): string | undefined {
  const files = path.split(delimiter).flatMap(folder => (isAbsolute(folder) ? [join(folder, name)] : []))
  return files.find(isExecutable)
}

export function isExecutable(file: string): boolean {
  try {
    accessSync(file, constants.X_OK)
    return true
  } catch {
    return false
  }
}
