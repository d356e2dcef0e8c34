import { readFile } from 'node:fs/promises'
import { Command, Option } from 'commander'
import { OperatorError } from '../../server/base/operator-error.ts'
import { runProgram } from '../run-program.ts'
import { formatJudgement, judge } from './judgement.ts'
import { type LabelledGroup, readLabelled } from './labelled.ts'

interface Flags {
  list: string[]
  label?: LabelledGroup['label']
  misses: string
}

const program = new Command('npm run -s judge-agents --')
  .description('Judge the classification of user agents by lists with known labels.')
  .requiredOption(
    '--list <file...>',
    'JSON files as in test/analytics/agents/user-agents/, or text files with one user agent a line',
  )
  .addOption(
    new Option('--label <label>', 'the label of all user agents in the text files').choices(['human', 'ai', 'neither']),
  )
  .option('--misses <number>', 'how many misses of each list to print', '20')
  .addHelpText(
    'after',
    `
Examples:
  npm run -s judge-agents -- --list test/analytics/agents/user-agents/*.json
  npm run -s judge-agents -- --list browsers.txt --label human --misses 100`,
  )
  .exitOverride()
  .action(async ({ list, label, misses }: Flags) => {
    const max = Number(misses)
    if (!Number.isInteger(max) || max < 0) throw new OperatorError('--misses must be a whole number.', 2)
    for (const file of list) {
      const groups = readLabelled(file, await readFile(file, 'utf8'), label)
      console.log(formatJudgement(file, judge(groups), max))
    }
  })

await runProgram(program)
