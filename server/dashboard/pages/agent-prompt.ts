import { maxPromptCharacters } from '../../agent/agent-run.ts'
import { agentStartTexts as texts } from '../texts/agent-runs.ts'

/** Browsers send the line breaks of a field as CR LF. */
export function readPrompt(form: URLSearchParams): string {
  return (form.get('prompt') ?? '').replaceAll('\r\n', '\n').trim().toWellFormed()
}

export function checkPrompt(prompt: string): { prompt?: string } {
  if (prompt === '') return { prompt: texts.promptMissing }
  const characters = [...prompt].length
  return characters > maxPromptCharacters ? { prompt: texts.promptTooLong(maxPromptCharacters, characters) } : {}
}
