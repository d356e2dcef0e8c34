import { createInterface } from 'node:readline/promises'
import { OperatorError } from '../base/operator-error.ts'
import type { InitFlags } from './init-settings.ts'
import { initDefaults } from './init-store.ts'

interface Question {
  flag: 'data' | 'org' | 'project' | 'key' | 'site' | 'unit'
  text: string
  /** What an empty answer means. */
  hint: string
}

/**
 * Asks for each setting that no flag gives. The questions are on standard error, because the answer of the command is on standard
 * output.
 *
 * @param isGiven whether a flag or its variable gives a setting
 */
export async function askWishes(flags: InitFlags, isGiven: (name: string) => boolean): Promise<InitFlags> {
  const questions: Question[] = [
    { flag: 'data', text: 'Data folder', hint: flags.data },
    { flag: 'org', text: 'Organization', hint: orExisting(initDefaults.org) },
    { flag: 'project', text: 'Project', hint: orExisting(initDefaults.project) },
    { flag: 'key', text: 'Name of the first API key', hint: orExisting(initDefaults.key) },
    { flag: 'site', text: 'Domain of a site to export, such as docs.example.com', hint: 'none' },
    { flag: 'unit', text: 'Unit of systemd to write, such as quire.service', hint: 'none' },
  ]
  const answered = { ...flags }
  const terminal = createInterface({ input: process.stdin, output: process.stderr })
  // Ctrl-C and Ctrl-D close it, and leave the question without an answer.
  const closed = new Promise<never>((_, failed) => {
    terminal.once('close', () => failed(new OperatorError('Nothing was set up.')))
  })
  closed.catch(() => {})
  try {
    for (const { flag, text, hint } of questions) {
      if (isGiven(flag) && answered[flag] !== undefined) continue
      const answer = (await Promise.race([terminal.question(`${text} [${hint}]: `), closed])).trim()
      if (answer !== '') answered[flag] = answer
    }
  } finally {
    terminal.close()
  }
  return answered
}

function orExisting(name: string): string {
  return `${name}, or the existing one`
}
