import { spawn } from 'node:child_process'
import { cpSync, existsSync, mkdirSync, readdirSync, renameSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { hasPackages } from './installed-packages.mjs'

const windows = process.platform === 'win32'
const stagingPrefix = '.quire-install-'

/**
 * Installs the packages of package-lock.json unless they are there: those that Quire needs to run (`production`), or all.
 * Surplus packages stay.
 *
 * npm works in a folder beside node_modules, which then replaces node_modules by a rename. So a killed installation leaves
 * nothing half installed, and a server that runs from the folder keeps its packages.
 *
 * @returns an error message; undefined = they are there.
 */
export async function installPackages(root, { production }) {
  if (hasPackages(root, { production })) return undefined
  const what = production ? 'the packages that Quire needs to run' : 'all packages, also those for development'
  process.stderr.write(`Installing ${what} (npm ci, less than a minute) ...\n`)
  try {
    removeLeftovers(root)
    const staging = join(root, `${stagingPrefix}${process.pid}`)
    try {
      return await installBeside(root, staging, production)
    } finally {
      rmSync(staging, { recursive: true, force: true })
    }
  } catch (error) {
    return `The packages cannot be installed in ${root}: ${error.message}`
  }
}

async function installBeside(root, staging, production) {
  mkdirSync(staging)
  for (const file of ['package.json', 'package-lock.json', '.npmrc']) cpSync(join(root, file), join(staging, file))
  if (!(await runNpmCi(staging, production))) {
    return 'npm ci failed. Check the network and the free disk space, then run the command again.'
  }
  // Another process may have installed more packages meanwhile.
  if (hasPackages(root, { production })) return undefined
  const [current, replaced] = [join(root, 'node_modules'), join(staging, 'replaced')]
  try {
    if (existsSync(current)) renameSync(current, replaced)
    renameSync(join(staging, 'node_modules'), current)
  } catch (error) {
    // node_modules is a mount point, which cannot be renamed.
    if (!['EBUSY', 'EXDEV'].includes(error.code)) throw error
    if (!(await runNpmCi(root, production))) return 'npm ci failed. Run the command again.'
  }
  return undefined
}

/**
 * The cache of npm is used as it is, without asking the registry whether it is fresh: package-lock.json has the versions and
 * their checksums. If the cache is older than package-lock.json, npm fails, and the second call asks the registry.
 */
async function runNpmCi(folder, production) {
  const flags = ['ci', '--no-audit', '--no-fund', production ? '--omit=dev' : '--include=dev']
  return (await runNpm(folder, [...flags, '--prefer-offline'], 'ignore')) || (await runNpm(folder, flags, 2))
}

/** @returns whether npm succeeded. */
function runNpm(folder, args, errors) {
  // npm sets its path in the environment of its scripts; otherwise (plain `node scripts/bootstrap.mjs`) the PATH is used.
  const [command, ...prefix] = process.env.npm_execpath
    ? [process.env.npm_node_execpath ?? process.execPath, process.env.npm_execpath]
    : [windows ? 'npm.cmd' : 'npm']
  const options = { cwd: folder, stdio: ['ignore', errors, errors], shell: windows && prefix.length === 0 }
  return new Promise(done => {
    spawn(command, [...prefix, ...args], options)
      .on('error', () => done(false))
      .on('exit', code => done(code === 0))
  })
}

/** Removes the folders of killed installations. */
function removeLeftovers(root) {
  for (const name of readdirSync(root)) {
    if (!name.startsWith(stagingPrefix)) continue
    const processId = Number(name.slice(stagingPrefix.length))
    // In a container, a killed process often had our id.
    if (processId !== process.pid && isRunning(processId)) continue
    rmSync(join(root, name), { recursive: true, force: true })
  }
}

function isRunning(processId) {
  try {
    return process.kill(processId, 0)
  } catch (error) {
    return error.code === 'EPERM'
  }
}
