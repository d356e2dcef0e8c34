import { readFile } from 'node:fs/promises'
import { join } from 'node:path'

/**
 * Writes the text of generated/chart.ts: the chart library of the dashboard, from its package. The server sends it to browsers, so
 * the single binary and the package carry it without a dependency more.
 *
 * @param folder absolute path of node_modules/uplot
 */
export async function writeChartLibrary(folder: string): Promise<string> {
  const read = (file: string) => readFile(join(folder, file), 'utf8')
  const { version, license } = JSON.parse(await read('package.json'))
  const values = {
    chartScript: await read('dist/uPlot.iife.min.js'),
    chartStyle: await read('dist/uPlot.min.css'),
    chartLibrary: { name: 'uPlot', version, license, text: (await read('LICENSE')).trim() },
  }
  const written = Object.entries(values).map(([name, value]) => `export const ${name} = ${JSON.stringify(value)}\n`)
  return written.join('')
}
