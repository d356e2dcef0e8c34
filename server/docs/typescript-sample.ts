import { type Notation, writeLiteral } from './literal.ts'
import type { SampleRequest } from './sample-request.ts'

/** Writes a module for the client of the package `quire-spec`. It reads the key from $QUIRE_API_KEY. */
export function writeTypeScriptSample(request: SampleRequest): string {
  const { operationId, baseUrl, parameters, body, successStatus } = request
  const params = Object.fromEntries(Object.entries(parameters).filter(([, values]) => Object.keys(values).length > 0))
  const options = {
    ...(Object.keys(params).length > 0 ? { params } : {}),
    ...(body === undefined ? {} : { body }),
  }
  const argument = Object.keys(options).length > 0 ? writeLiteral(options, notation) : ''
  return `import { createClient } from 'quire-spec'

const quire = createClient({
  baseUrl: ${quote(baseUrl)},
  apiKey: process.env.QUIRE_API_KEY ?? '',
})
const result = await quire.${operationId}(${argument})
if (result.status === ${successStatus}) console.log(result.data)
else console.error(result.status, result.error)`
}

const notation: Notation = {
  text: quote,
  name: name => (/^[A-Za-z_$][\w$]*$/.test(name) ? name : quote(name)),
  word: value => String(value),
  indent: '  ',
  open: '{ ',
  close: ' }',
}

function quote(text: string): string {
  const escaped = JSON.stringify(text).slice(1, -1).replaceAll('\\"', '"')
  return `'${escaped.replaceAll("'", "\\'")}'`
}
