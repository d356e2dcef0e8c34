import type { Change } from './change.ts'
import type { Level } from './rules.ts'
import type { Verdict } from './verdict.ts'

/** Writes the changes for people, breaking ones first. */
export function printChanges(changes: readonly Change[], { released, current, problem }: Verdict): string {
  const levels: readonly Level[] = ['breaking', 'not breaking', 'documentation']
  const groups = levels.flatMap(level => {
    const members = changes.filter(change => change.level === level)
    return members.length === 0 ? [] : [`\n${level.toUpperCase()}\n`, ...members.map(printChange)]
  })
  const versions = `spec/ (${current}), compared with the released document (${released})`
  if (changes.length === 0) return [`No changes: ${versions}.`, ...(problem ? ['', problem] : [])].join('\n')
  const counts = levels.map(level => `${changes.filter(change => change.level === level).length} ${level}`)
  return [`${versions}: ${counts.join(', ')}.`, ...groups, '', problem ?? allowed].join('\n').trimEnd()
}

const allowed = 'These changes may be released.'

function printChange({ id, place, text, operations }: Change): string {
  const affected = operations.length > 0 ? `: ${operations.join(', ')}` : ''
  return `  ${place}: ${text}\n    ${id}${affected}`
}
