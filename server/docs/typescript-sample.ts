import { type Notation, writeLiteral } from './literal.ts'
import type { SampleRequest } from './sample-request.ts'

/** Writes a module for the client of the package `quire-spec`. It reads the key from $QUIRE_API_KEY. */
export function writeTypeScriptSample(request: SampleRequest): string {
  const { operationId, baseUrl, parameters, isRaw, isExtension, successStatus } = request
  const body = isRaw ? file : request.body
  const params = Object.fromEntries(Object.entries(parameters).filter(([, values]) => Object.keys(values).length > 0))
  const options = {
    ...(Object.keys(params).length > 0 ? { params } : {}),
    ...(body === undefined ? {} : { body }),
  }
  const argument = Object.keys(options).length > 0 ? writeLiteral(options, notation) : ''
  const [create, module] = isExtension
    ? ['createExtensionsClient', 'quire-spec/extensions']
    : ['createClient', 'quire-spec']
  return `${isRaw ? "import { readFile } from 'node:fs/promises'\n" : ''}import { ${create} } from '${module}'

const quire = ${create}({
  baseUrl: ${quote(baseUrl)},
  apiKey: process.env.QUIRE_API_KEY ?? '',
})
const result = await quire.${operationId}(${argument.replace(`'${file}'`, "await readFile('access.log')")})
${successStatus === undefined ? '' : `if (result.status === ${successStatus}) console.log(result.data)\nelse `}console.error(result.status, result.error)`
}

/** Stands for the file in the literal. */
const file = '@access.log'

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
