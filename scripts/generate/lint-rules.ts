import { folderLayers, foreignFolders, packageOwners, portableFolders, serverLayers } from '../layers.ts'
import { longFunctions, maxLines, maxLongLines } from '../long-functions.ts'

/** A folder of server/ that has one set of rules, or a file directly in it. */
interface Place {
  /** Path in server/, such as `store`, `app.ts` or `export/crawl`; `export/.` = the files directly in server/export/. */
  name: string
  /** Import paths to the same layer or a higher one. */
  forbidden: string[]
}

/**
 * Writes the text of generated/lint-rules.json, for Biome: the import rules of scripts/layers.ts, and the maximum lengths of
 * functions in scripts/long-functions.ts.
 */
export function writeLintRules(): string {
  const rules = {
    linter: { rules: { complexity: limitFunctions(maxLines) } },
    overrides: [...limitLayers(), ...limitPortable(), allowLong()],
  }
  return `${JSON.stringify(rules, undefined, 2)}\n`
}

/** Allows longer functions. A `describe` block contains many tests, so it is allowed the length of a long function too. */
function allowLong() {
  return {
    includes: ['test/**', ...Object.keys(longFunctions)],
    linter: { rules: { complexity: limitFunctions(maxLongLines) } },
  }
}

function limitFunctions(lines: number) {
  return { noExcessiveLinesPerFunction: { level: 'error', options: { maxLines: lines } } }
}

function limitLayers() {
  const places = serverLayers.flat().flatMap(name => {
    const place = { name, forbidden: forbiddenFrom(serverLayers, name).map(other => `**/${asPattern(other)}`) }
    return folderLayers[name] ? innerPlaces(place, folderLayers[name]) : [place]
  })
  return places.map(({ name, forbidden }) => ({
    includes: [includes(name)],
    linter: { rules: { style: { noRestrictedImports: restrict(name, forbidden) } } },
  }))
}

/** A test checks what these folders import through other files. */
function limitPortable() {
  return portableFolders.map(folder => ({
    includes: [`${folder}/**`],
    linter: {
      rules: {
        style: {
          noRestrictedImports: {
            level: 'error',
            options: {
              patterns: [
                {
                  group: ['node:*', ...Object.keys(packageOwners)],
                  message: `${folder} runs in web browsers (portableFolders in scripts/layers.ts).`,
                },
              ],
            },
          },
        },
      },
    },
  }))
}

function restrict(name: string, forbidden: readonly string[]) {
  const layer = {
    group: forbidden,
    message: `server/${name} may not import this module, because it is in the same layer or a higher one (scripts/layers.ts). Move the code down, or pass the value as a parameter.`,
  }
  const packages = {
    group: Object.entries(packageOwners).flatMap(([pack, owners]) =>
      owners.some(owner => name === owner || name.startsWith(`${owner}/`)) ? [] : [pack, `${pack}/**`],
    ),
    message:
      'Only some folders may import this package (packageOwners in scripts/layers.ts). Use the exports of those folders.',
  }
  const foreign = {
    group: foreignFolders.map(folder => `**/${folder}/**`),
    message: 'The server does not use its own client and package (foreignFolders in scripts/layers.ts).',
  }
  return { level: 'error', options: { patterns: [layer, packages, foreign].filter(({ group }) => group.length > 0) } }
}

function innerPlaces({ name, forbidden }: Place, layers: readonly (readonly string[])[]): Place[] {
  return layers.flat().map(inner => {
    const prefix = inner === '.' ? './' : '../'
    const others = forbiddenFrom(layers, inner).map(other => (other === '.' ? '../*.ts' : `${prefix}${other}/**`))
    return { name: `${name}/${inner}`, forbidden: [...forbidden, ...others] }
  })
}

/** Returns the other members of the layer of `name`, and all members of higher layers. */
function forbiddenFrom(layers: readonly (readonly string[])[], name: string): string[] {
  const own = layers.findIndex(layer => layer.includes(name))
  return layers
    .slice(0, own + 1)
    .flat()
    .filter(other => other !== name)
}

function asPattern(name: string): string {
  return name.endsWith('.ts') ? name : `${name}/**`
}

function includes(name: string): string {
  if (name.endsWith('/.')) return `server/${name.slice(0, -1)}*.ts`
  return name.endsWith('.ts') ? `server/${name}` : `server/${name}/**`
}
