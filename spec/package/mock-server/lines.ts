import { routes } from '../../../generated/operations.ts'
import { scenarioNames, summaries } from '../mock/index.ts'
import { controlPath } from './controls.ts'

/** Writes ready-to-paste commands for a moving mock, and its scenarios. */
export function writeMovingLines(baseUrl: string): string {
  const width = Math.max(...scenarioNames.map(name => name.length))
  const list = scenarioNames.map(name => `  ${name.padEnd(width)}  ${summaries[name]}`)
  const key = `-H 'Authorization: Bearer any'`
  const [agent, visitors, start, job, bundle] = routes.map(({ path }) => baseUrl + fillPath(path))
  return `Start an export, and watch it move:
  curl ${key} -H 'Content-Type: application/json' -d '{"domain":"docs.example.com"}' ${start}
  curl ${key} ${baseUrl}/v1/static-export/jobs/JOB_ID

An export that is completed, and a link to its bundle, which you can download:
  curl ${key} ${job}
  curl ${key} -X POST ${bundle}

Visitors, page by page, and an agent job that begins with your first request:
  curl ${key} '${visitors}?limit=2'
  curl ${key} ${agent}

Scenarios:
${list.join('\n')}

Switch at ${baseUrl}${controlPath}, or for one request:
  curl ${key} '${job}?__error=500&__delay=2000'
  curl ${key} -H 'Prefer: scenario=slow' ${job}`
}

/** Puts the ids of the examples into a path. */
function fillPath(path: string): string {
  return path
    .replace('{projectId}', 'prj_5b1c2d3e4f506172')
    .replace('{id}', 'aj_9c41d2e0b7a65f38')
    .replace('{jobId}', 'se_0f3c9a1b2d4e5f60')
}
