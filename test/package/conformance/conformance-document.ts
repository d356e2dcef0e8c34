import { readFileSync } from 'node:fs'
import { join } from 'node:path'

const read = (file: string) => JSON.parse(readFileSync(join(import.meta.dirname, '../../../generated', file), 'utf8'))

export const document = read('openapi.json')
export const extensions = read('extensions/openapi.json')
