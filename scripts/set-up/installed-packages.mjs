import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

/**
 * Whether `folder` has the packages of its package-lock.json: the production packages, or all of them.
 *
 * npm writes node_modules/.package-lock.json as the last step of an installation, and `npm ci` deletes it first. So the file
 * lists exactly what is installed, also after somebody called npm by hand, and is missing if npm was killed.
 */
export function hasPackages(folder, { production }) {
  const installed = readPackages(join(folder, 'node_modules', '.package-lock.json'))
  if (!installed || Object.values(installed).some(isForAnotherPlatform)) return false
  return Object.entries(readPackages(join(folder, 'package-lock.json'))).every(([path, wanted]) => {
    if (path === '' || (production && (wanted.dev || wanted.devOptional))) return true
    const found = installed[path]
    // Optional packages are absent on other platforms.
    return found ? found.version === wanted.version && found.integrity === wanted.integrity : wanted.optional
  })
}

/** The entries of a lock file by path; undefined if there is none, or if it is damaged. */
function readPackages(file) {
  if (!existsSync(file)) return undefined
  try {
    return JSON.parse(readFileSync(file, 'utf8')).packages
  } catch {
    return undefined
  }
}

/** Whether the package was installed on another system, for example in a folder that was copied into a container. */
function isForAnotherPlatform({ os, cpu }) {
  return !allows(os, process.platform) || !allows(cpu, process.arch)
}

/** `['linux']` and `linux` allow only linux, `['!win32']` all but win32. */
function allows(given, value) {
  if (!given) return true
  const list = [given].flat()
  return list.every(entry => entry.startsWith('!')) ? !list.includes(`!${value}`) : list.includes(value)
}
