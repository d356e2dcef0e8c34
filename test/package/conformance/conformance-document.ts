import { readFileSync } from 'node:fs'
import { join } from 'node:path'

export const document = JSON.parse(readFileSync(join(import.meta.dirname, '../../../generated/openapi.json'), 'utf8'))
