import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { twinPath, writeMarkdown } from '../../web/markdown/page-markdown.ts'
import type { TwinTask, WriteSetup, WrittenTwin } from './page-tasks.ts'

/** Writes a finished page of the bundle as Markdown, beside the page. */
export function writeTwin(
  { path, charset, address }: TwinTask,
  { folder, twins }: Pick<WriteSetup, 'folder' | 'twins'>,
): WrittenTwin {
  const raw = { text: readFileSync(join(folder, path), 'latin1'), charset }
  const { title, description, text } = writeMarkdown(raw, { path, address, hasTwin: other => twins.has(other) })
  const twin = twinPath(path)
  const bytes = Buffer.from(text)
  writeFileSync(join(folder, twin), bytes)
  return { path: twin, title, description, sizeBytes: bytes.length }
}
