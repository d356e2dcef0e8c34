import { existsSync, readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'

/**
 * Finds the Node that npm installed with Quire: a package of `optionalDependencies` for this platform. npm may have put it beside
 * Quire, or in a node_modules above.
 *
 * @returns undefined if npm installed none, for example with --omit=optional
 */
export function findNode(root) {
  const { optionalDependencies = {} } = readJson(join(root, 'package.json'))
  const { resolve } = createRequire(join(root, 'package.json'))
  for (const name of Object.keys(optionalDependencies)) {
    try {
      const file = resolve(`${name}/package.json`)
      const { bin } = readJson(file)
      const program = join(dirname(file), bin.node)
      if (existsSync(program)) return program
    } catch (error) {
      if (error.code !== 'MODULE_NOT_FOUND') throw error
    }
  }
  return undefined
}

function readJson(file) {
  return JSON.parse(readFileSync(file, 'utf8'))
}
