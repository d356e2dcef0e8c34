// The first script of the single binary. It runs the scripts of the program, each with the code that V8 compiled when the binary was
// built. Node itself would keep only the code outside of functions.
const { writeFileSync } = require('node:fs')
const { dirname, join } = require('node:path')
const sea = require('node:sea')
const { setFlagsFromString } = require('node:v8')
const { Script } = require('node:vm')

const names = new Set(sea.getAssetKeys())
const read = name => Buffer.from(sea.getRawAsset(name))
const loaded = new Map()

/** Returns the exports of a script, and runs it when it is required for the first time. */
function load(name) {
  const known = loaded.get(name)
  if (known) return known.module.exports
  const compiled = `compiled/${name}`
  const script = new Script(read(`scripts/${name}`).latin1Slice(), {
    filename: name,
    cachedData: names.has(compiled) ? read(compiled) : undefined,
  })
  const module = { exports: {} }
  loaded.set(name, { script, module })
  script.runInThisContext()(module.exports, requireHere, module, process.execPath, dirname(process.execPath))
  return module.exports
}

function requireHere(id) {
  return id.startsWith('./') ? load(id.slice(2)) : require(id)
}

// While the binary is built, a run writes what V8 compiled of each script that it needed. V8 refuses code that was compiled with other
// flags, so those of the build are at their defaults when the code is written.
if (names.has('keep-in')) {
  const { folder, defaultFlags } = JSON.parse(read('keep-in').toString())
  process.once('exit', () => {
    for (const flag of defaultFlags) setFlagsFromString(flag)
    for (const [name, { script }] of loaded) writeFileSync(join(folder, name), script.createCachedData())
  })
}
load('main.cjs')
