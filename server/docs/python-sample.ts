import { type Notation, writeLiteral } from './literal.ts'
import type { SampleRequest } from './sample-request.ts'

/** Writes a program for Python 3 that needs no package. It reads the key from $QUIRE_API_KEY. */
export function writePythonSample({ method, baseUrl, path, parameters, body, isRaw }: SampleRequest): string {
  const headers = [
    '"Authorization": "Bearer " + os.environ["QUIRE_API_KEY"]',
    ...(isRaw ? ['"Content-Type": "text/plain"'] : []),
    ...(body === undefined ? [] : ['"Content-Type": "application/json"']),
    ...Object.entries(parameters.header).map(([name, value]) => `${quote(name)}: ${quote(String(value))}`),
  ]
  const json = body === undefined ? '' : `    data=json.dumps(${indent(writeLiteral(body, notation))}).encode(),\n`
  const data = isRaw ? '    data=open("access.log", "rb").read(),\n' : json
  return `import json
import os
import urllib.error
import urllib.request

request = urllib.request.Request(
    ${quote(baseUrl + path)},
    method=${quote(method)},
    headers={
${headers.map(header => `        ${header},`).join('\n')}
    },
${data})
try:
    with urllib.request.urlopen(request, timeout=30) as response:
        print(response.status, json.load(response))
except urllib.error.HTTPError as error:
    print(error.code, json.load(error))`
}

const words = new Map<unknown, string>([
  [true, 'True'],
  [false, 'False'],
  [null, 'None'],
])

const notation: Notation = {
  text: quote,
  name: quote,
  word: value => words.get(value) ?? String(value),
  indent: '    ',
  open: '{',
  close: '}',
}

/** The escapes of JSON mean the same in Python. */
function quote(text: string): string {
  return JSON.stringify(text)
}

function indent(text: string): string {
  return text.replaceAll('\n', '\n    ')
}
