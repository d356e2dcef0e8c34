// Prepares a fresh clone, then runs a script of the project on the pinned Node. Uses only Node built-ins and runs on any
// Node >= 20, because it installs everything else.
//
//   node scripts/bootstrap.mjs [--quiet] [--production | --production-with=ARG] [--browser] SCRIPT [ARG ...]
//
// Without SCRIPT it only installs. `--production` installs only the packages that Quire needs to run; `--production-with=ARG` does so
// if ARG is among the arguments of the script. `--browser` also looks for Chromium and installs it where possible. `--quiet` does
// not report a missing Chromium. `--help` of a script installs nothing: without packages, scripts/set-up/help.json has the text.
import { existsSync, readFileSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { installBrowser } from './set-up/install-browser.mjs'
import { installPackages } from './set-up/install-packages.mjs'
import { hasPackages } from './set-up/installed-packages.mjs'
import { runOnNode } from './set-up/run-on-node.mjs'

const root = resolve(dirname(fileURLToPath(import.meta.url)), '..')

const args = process.argv.slice(2)
const flags = new Set()
while (/^--(?:quiet|production|production-with=.*|browser)$/.test(args[0])) flags.add(args.shift())
const isProduction = [...flags].some(flag => {
  const [name, wanted] = flag.split('=')
  if (name === '--production-with') return args.some(arg => arg.split('=')[0] === wanted)
  return name === '--production'
})

const help = findHelp(args)
if (help !== undefined && !hasPackages(root, { production: isProduction })) {
  process.stdout.write(help)
  process.exit(0)
}

const report = flags.has('--quiet') ? () => {} : text => process.stderr.write(`${text}\n`)
const browser = flags.has('--browser') ? installBrowser(root, report) : undefined
const [problem] = await Promise.all([installPackages(root, { production: isProduction }), browser])
if (problem) {
  process.stderr.write(`${problem}\n`)
  process.exit(1)
}
if (args.length > 0) {
  const pinned = join(root, 'node_modules', '.bin', process.platform === 'win32' ? 'node.cmd' : 'node')
  runOnNode(existsSync(pinned) ? pinned : process.execPath, root, args)
}

/** Returns the help of a script if its arguments ask for it; undefined if there is none. The help of a subcommand is its own. */
function findHelp([script, ...rest]) {
  const file = join(root, 'scripts', 'set-up', 'help.json')
  const isAsked = rest[0]?.startsWith('-') && rest.some(arg => arg === '--help' || arg === '-h')
  return isAsked && existsSync(file) ? JSON.parse(readFileSync(file, 'utf8'))[script] : undefined
}
