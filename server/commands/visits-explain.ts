import { createInterface } from 'node:readline'
import { Argument, Command } from 'commander'
import type { Kind } from '../analytics/agents/agent-list.ts'
import { nameList, type UserAgentExplanation } from '../analytics/agents/explain-user-agent.ts'
import { toLogReading } from '../analytics/envelopes/log-reading.ts'
import { LineExplainer, type LineExplanation } from '../analytics/import/explain-line.ts'
import { explainByOwn } from '../analytics/import/own-agents.ts'
import { toCounting } from '../analytics/import/visited-projects.ts'
import { OperatorError } from '../base/operator-error.ts'
import { logSettings, readLogFlags } from '../flags/log-settings.ts'
import { addSettings, type FlagsOf, type Settings } from '../flags/setting.ts'
import { shared, storeSettings } from '../flags/shared-settings.ts'
import { getProject } from '../tenancy/get-project.ts'
import type { Project } from '../tenancy/project.ts'
import { printJson } from './print.ts'
import { drawPairs } from './table.ts'
import { withExistingStore } from './with-store.ts'

const settings = {
  line: { flag: '--line <line>', what: 'line of an access log; "-" reads lines from standard input' },
  project: { ...shared.project, what: 'explain with the settings of this project (npx quire projects set)' },
  ...logSettings,
  ...storeSettings,
} as const satisfies Settings

type ExplainFlags = FlagsOf<typeof settings>

export function visitsExplainCommand(): Command {
  const command = new Command('explain')
    .addArgument(new Argument('[user-agent]', 'user agent; "-" reads one per line from standard input'))
    .description('explain what a user agent or a log line counts as, and why')
  return addSettings(command, settings)
    .addHelpText(
      'after',
      `
Examples:
  npx quire visits explain 'Mozilla/5.0 (compatible; GPTBot/1.3; +https://openai.com/gptbot)'
  npx quire visits explain --line '203.0.113.9 - - [20/Nov/2026:10:11:12 +0000] "GET /a.md HTTP/1.1" 200 5 "-" "curl/8.5.0"'
  tail -n 3 data/demo-access.log | npx quire visits explain --line - --json
  tail -n 3 data/demo-access.log | npx quire visits explain --line - --project Documentation

The command needs no database, unless --project names the project whose settings hold. With - and --json, each answer is one line.`,
    )
    .action(async (userAgent: string | undefined, flags: ExplainFlags) => {
      if ((userAgent === undefined) === (flags.line === undefined)) {
        throw new OperatorError("Give a user agent, or --line LINE. Example: npx quire visits explain 'curl/8.5.0'", 2)
      }
      if (userAgent !== undefined) {
        refuseLine(userAgent)
        const { agents } = toCounting((await findProject(flags)) ?? {}, flags.agentsFile) ?? {}
        await printEach(userAgent, flags, text => explainByOwn(text, agents?.findNamed(text)), describeUserAgent)
        return
      }
      const explain = await createLineExplainer(flags)
      await printEach(flags.line as string, flags, explain, describeLine)
    })
}

function refuseLine(userAgent: string): void {
  const { format } = new LineExplainer({ now: Date.now() }).explain(userAgent)
  if (format === null) return
  throw new OperatorError(`This is a log line in the format ${format}, not a user agent. Explain it with --line.`, 2)
}

async function createLineExplainer(flags: ExplainFlags): Promise<(line: string) => LineExplanation> {
  const explainer = new LineExplainer({
    ...toLogReading(readLogFlags(flags)),
    project: await findProject(flags),
    now: Date.now(),
  })
  return line => explainer.explain(line)
}

async function findProject({ project, ...flags }: ExplainFlags): Promise<Project | undefined> {
  return project === undefined ? undefined : withExistingStore(flags, store => getProject(store, project))
}

async function printEach<Explanation>(
  given: string,
  { json }: ExplainFlags,
  explain: (text: string) => Explanation,
  describe: (explanation: Explanation) => string,
): Promise<void> {
  if (given !== '-') {
    const explanation = explain(given)
    if (json) printJson(explanation)
    else console.log(describe(explanation))
    return
  }
  let isFirst = true
  for await (const text of createInterface({ input: process.stdin })) {
    const explanation = explain(text)
    if (json) console.log(JSON.stringify(explanation))
    else console.log(`${isFirst ? '' : '\n'}${describe(explanation)}`)
    isFirst = false
  }
}

const names: Record<Kind, string> = {
  human: 'human',
  ai: 'AI',
  neither: 'neither: it is not counted',
}

function describeUserAgent({ kind, rule, why, list, pattern, source, notes }: UserAgentExplanation): string {
  return drawPairs([
    ['Counts as', names[kind]],
    ['Rule', rule],
    ['Why', why],
    ...(list ? [['List', `${nameList(list)}, ${list.licence}, ${list.url}`] as const] : []),
    ...(pattern ? [['Pattern', pattern] as const] : []),
    ...(source ? [['See', source] as const] : []),
    ...notes.map(note => ['Note', note] as const),
  ])
}

function describeLine({ steps, countsAs, kind, rule, page, day, userAgent }: LineExplanation): string {
  const outcome = kind ? `page view of ${page} on ${day}, ${names[kind]}` : countsAs
  return drawPairs([
    ['Counts as', outcome],
    ...(rule ? [['Rule', rule] as const] : []),
    ...steps.map(({ step, finding }) => [`${step.charAt(0).toUpperCase()}${step.slice(1)}`, finding] as const),
    ...(userAgent?.notes ?? []).map(note => ['Note', note] as const),
  ])
}
