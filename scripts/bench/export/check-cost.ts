import { mkdir } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { OperatorError } from '../../../server/base/operator-error.ts'
import { viewerTabs } from '../../../server/web/browser/viewer.ts'
import { median } from '../report.ts'
import { describeEnd, type MeasuredRun, runMeasured } from './measured-run.ts'
import { openPlaces } from './place.ts'
import { type BrowserUse, pathInBundle, writeRecordingBrowser } from './recording-browser.ts'
import { quire, quireStatic, type Tool } from './tools.ts'

/** What the check in a browser costs: the default export without the static one, beside a bare script. */
export interface CheckCost {
  use: BrowserUse
  /** Medians of `rounds` runs in turn. CPU time includes the browser. */
  seconds: Record<'default' | 'static' | 'bare', { wall: number; cpu: number }>
  rounds: number
}

const bareVisits = resolve(import.meta.dirname, 'bare-visits.ts')

/** Exports a site with and without the check, and opens what the check opened with a bare script, in turn. */
export async function measureCheck(
  url: string,
  {
    folder,
    cacheFolder,
    timeoutMs,
    rounds,
  }: { folder: string; cacheFolder: string; timeoutMs: number; rounds: number },
): Promise<CheckCost> {
  const run = async (name: string, program: string, args: string[], env = {}) => {
    const done = await runMeasured(program, args, { logFile: join(folder, `${name}.log`), timeoutMs, folder, env })
    if (done.exitCode === 0) return done
    throw new OperatorError(`${name} ${describeEnd(done)}. Its output is in ${join(folder, `${name}.log`)}`)
  }
  const exportWith = async (tool: Tool, name: string, env = {}) => {
    await mkdir(join(folder, name), { recursive: true })
    const { program, args } = tool.command(url, join(folder, name), cacheFolder)
    return run(name, program, args, env)
  }
  const recording = writeRecordingBrowser(folder)
  await exportWith(quire, 'recorded', { PUPPETEER_EXECUTABLE_PATH: recording.executable })
  const use = recording.read()
  const bundle = quire.findRoot(join(folder, 'recorded'))
  if (bundle === undefined) throw new OperatorError('the export left no bundle')
  const { places, close } = await openPlaces(bundle)
  try {
    const addresses = use.opened.map(address => {
      const found = pathInBundle(address)
      if (!found) return address
      return found.place === 'file'
        ? pathToFileURL(join(bundle, found.path)).href
        : places[found.place].root + found.path
    })
    const visits = JSON.stringify({ addresses, tabs: viewerTabs })
    const runs: Record<'default' | 'static' | 'bare', MeasuredRun[]> = { default: [], static: [], bare: [] }
    for (let round = 0; round < rounds; round += 1) {
      runs.static.push(await exportWith(quireStatic, 'static'))
      runs.bare.push(await run('bare script', process.execPath, [bareVisits, visits]))
      runs.default.push(await exportWith(quire, 'default'))
    }
    const seconds = (all: readonly MeasuredRun[]) => ({
      wall: median(all.map(({ wallSeconds }) => wallSeconds)),
      cpu: median(all.map(({ treeCpuSeconds }) => treeCpuSeconds ?? 0)),
    })
    return {
      use,
      rounds,
      seconds: { default: seconds(runs.default), static: seconds(runs.static), bare: seconds(runs.bare) },
    }
  } finally {
    await close()
  }
}

/** Returns how many times as long as the bare script the check takes. */
export function checkRatio({ seconds }: CheckCost, by: 'wall' | 'cpu'): number {
  return (seconds.default[by] - seconds.static[by]) / seconds.bare[by]
}

/** Describes the cost in one line, and in another one what the browser was asked for. */
export function describeCheck(cost: CheckCost): string[] {
  const { use, seconds, rounds } = cost
  const pair = ({ wall, cpu }: { wall: number; cpu: number }) => `${wall.toFixed(1)} (${cpu.toFixed(1)})`
  const ratios = `${checkRatio(cost, 'wall').toFixed(2)} (${checkRatio(cost, 'cpu').toFixed(2)})`
  const count = (name: string) => use.commands[name] ?? 0
  const evaluations = count('Runtime.evaluate') + count('Runtime.callFunctionOn')
  const places = use.opened.map(address => pathInBundle(address)?.place ?? 'origin')
  const at = (name: string) => `${places.filter(place => place === name).length} ${name}`
  return [
    `check / bare script: ${ratios} by wall (CPU). Seconds, medians of ${rounds}: default ${pair(seconds.default)}, static ${pair(seconds.static)}, bare script ${pair(seconds.bare)}.`,
    `${use.opened.length} pages opened (${['origin', 'root', 'folder', 'file'].map(at).join(', ')}), ${evaluations} evaluations, ${count('Fetch.fulfillRequest')} answers, ${(use.bytes.sent / 1e6).toFixed(1)} MB sent, ${(use.bytes.received / 1e6).toFixed(1)} MB received.`,
  ]
}
