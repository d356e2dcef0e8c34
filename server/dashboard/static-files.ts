import { createHash } from 'node:crypto'
import { chartScript, chartStyle } from '../../generated/chart.ts'
import { runDashboard } from '../../generated/in-page.ts'
import { callScript } from '../base/call-script.ts'
import { logo } from '../docs/palette.ts'
import { styleSheet } from './style-sheet.ts'

/** The files that pages load, by the name in their addresses. */
const files = {
  'style.css': { contentType: 'text/css; charset=utf-8', body: styleSheet },
  'icon.svg': { contentType: 'image/svg+xml', body: logo },
  'dashboard.js': { contentType: 'text/javascript; charset=utf-8', body: `${callScript(runDashboard)}\n` },
  'chart.js': { contentType: 'text/javascript; charset=utf-8', body: chartScript },
  'chart.css': { contentType: 'text/css; charset=utf-8', body: chartStyle },
} as const

export type StaticFile = keyof typeof files

const versions = new Map(
  Object.entries(files).map(([name, { body }]) => [
    name,
    createHash('sha256').update(body).digest('base64url').slice(0, 12),
  ]),
)

/** The path of a file, below that of the dashboard. It has a hash of the content, so that browsers keep the file. */
export function staticPath(name: StaticFile): string {
  return `/static/${versions.get(name)}/${name}`
}

/** Finds a file by the parts of its path; undefined if it is a file of another version. */
export function findStaticFile(version: string, name: string): { contentType: string; body: string } | undefined {
  return Object.hasOwn(files, name) && versions.get(name) === version ? files[name as StaticFile] : undefined
}
