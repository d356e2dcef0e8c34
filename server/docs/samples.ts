import type { ApiDocument, PlacedOperation } from './api-document.ts'
import { writeCurlSample } from './curl-sample.ts'
import { writePythonSample } from './python-sample.ts'
import { createSampleRequest } from './sample-request.ts'
import { writeTypeScriptSample } from './typescript-sample.ts'

/** A request that a reader can paste. */
export interface Sample {
  language: 'curl' | 'TypeScript' | 'Python'
  text: string
}

/** Writes samples of an operation. They are made of the examples in the document, so that they cannot become outdated. */
export function writeSamples(document: ApiDocument, placed: PlacedOperation): Sample[] {
  const request = createSampleRequest(document, placed)
  return [
    { language: 'curl', text: writeCurlSample(request) },
    { language: 'TypeScript', text: writeTypeScriptSample(request) },
    { language: 'Python', text: writePythonSample(request) },
  ]
}
