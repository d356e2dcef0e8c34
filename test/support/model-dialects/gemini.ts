import { type Dialect, send } from './dialect.ts'

interface GenerateRequest {
  contents: { parts?: object[] }[]
  tools?: { functionDeclarations?: { name: string; parametersJsonSchema?: Schema; parameters?: Schema }[] }[]
}

interface Schema {
  properties?: object
}

/** The API of Gemini (https://ai.google.dev/api/generate-content). The path has the name of the model, and whether a stream is wanted. */
export const gemini: Dialect = {
  path: /^\/v1beta\/models\/[^/]+:(?:streamG|g)enerateContent(?:\?.*)?$/,
  read(body, path) {
    const { contents, tools = [] }: GenerateRequest = JSON.parse(body)
    const offered = tools.flatMap(({ functionDeclarations = [] }) => functionDeclarations)
    return {
      ...{ model: path.split(/[/:]/)[3] ?? '', isStream: path.includes(':stream') },
      results: contents.flatMap(({ parts = [] }) => parts).filter(part => 'functionResponse' in part).length,
      tools: offered.map(({ name, parametersJsonSchema, parameters }) => ({
        name,
        parameters: Object.keys((parametersJsonSchema ?? parameters)?.properties ?? {}),
      })),
    }
  },
  answer(response, { model, isStream, results }, step) {
    const part = 'text' in step ? step : { functionCall: { id: `call_${results}`, name: step.name, args: step.args } }
    const answer = {
      candidates: [{ content: { role: 'model', parts: [part] }, finishReason: 'STOP', index: 0 }],
      usageMetadata: { promptTokenCount: 100, candidatesTokenCount: 10, totalTokenCount: 110 },
      modelVersion: model,
    }
    send(response, isStream ? { events: [answer] } : answer)
  },
}
