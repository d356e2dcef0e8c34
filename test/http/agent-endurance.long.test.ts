import { readdirSync, writeFileSync } from 'node:fs'
import { request } from 'node:http'
import { join } from 'node:path'
import { afterEach, describe, expect, test } from 'vitest'
import { bubblewrap, listLeft } from '../support/agent-session.ts'
import {
  ask,
  closeWorld,
  openWorld,
  readEvents,
  runPath,
  untilEnded,
  type World,
  wait,
} from '../support/agent-world.ts'
import { createDocsRepository } from '../support/docs-repository.ts'
import { fakeAgent } from '../support/fake-agents.ts'
import { createRandom } from '../support/random.ts'
import { rounds } from '../support/rounds.ts'

const cancels = rounds(25)
const cuts = rounds(100)
const goneMs = 5000

let world: World
afterEach(() => closeWorld(world))

/** Opens a world whose agent is the scripted one in this mode. */
async function openFake(mode: string): Promise<void> {
  const folder = createDocsRepository({ 'x/x': '' })
  const agentsFile = join(folder.path, 'agents.json')
  const { name: _, ...agent } = fakeAgent(mode)
  writeFileSync(agentsFile, JSON.stringify({ fake: agent }))
  const limits = { agentActiveJobs: 100, agentPullRequests: 100, agentJobsHour: 1000 }
  const endpoint = { agentModelUrl: 'http://127.0.0.1:9/v1' }
  world = await openWorld({ agent: 'fake', agentsFile, agentUnconfined: false, ...endpoint, ...limits })
  folder.dispose()
}

const start = async () =>
  (await ask(world, 'POST', `/v2/agent/${world.projectId}/job`, { prompt: 'Fix it.' })).json.id as string
const listEvents = async (id: string) => {
  const { json } = await ask(world, 'GET', `${runPath(world.projectId, id, 'events')}?limit=500`)
  return json.events as { sequence: number; kind: string; text: string }[]
}

async function untilWorking(id: string): Promise<void> {
  while (!(await listEvents(id)).some(({ kind, text }) => kind === 'message' && text === 'begun')) await wait(20)
}

/** Reads a stream until an event with this number or the end of the stream has come, and cuts the connection then. */
function readUntil(path: string, after: number, last: number): Promise<string> {
  const { server, key } = world
  const headers = {
    Authorization: `Bearer ${key}`,
    Accept: 'text/event-stream',
    ...(after > 0 && { 'Last-Event-ID': String(after) }),
  }
  return new Promise((done, failed) => {
    const req = request(new URL(path, server.url), { headers }, res => {
      let text = ''
      res.setEncoding('utf8').on('data', part => {
        text += part
        // The connection is cut in the middle of the next event, if there is more of it.
        if (text.includes(`id: ${last}\n`)) req.destroy()
      })
      res.on('close', () => done(text)).on('error', () => {})
    })
    req.on('error', failed).end()
  })
}

describe.skipIf(bubblewrap === undefined)('with bubblewrap', () => {
  test.each(['deaf', 'slow'])(`${cancels} cancels of an agent that is %s leave nothing after 5 s each`, async mode => {
    await openFake(mode)
    const random = createRandom(`cancels of a ${mode} agent`)
    const runners = join(world.server.dataFolder, 'work', 'agents')
    // Besides the folders of jobs, the folder of a runner has only its lock.
    const hasFiles = () => readdirSync(runners).some(name => readdirSync(join(runners, name)).length > 1)
    const took: number[] = []
    for (let done = 0; done < cancels; done++) {
      const id = await start()
      // One half is cancelled at work, the others at any moment of their start.
      if (done % 2 === 0) await untilWorking(id)
      else await wait(1000 * random())
      const at = performance.now()
      const { status } = await ask(world, 'POST', runPath(world.projectId, id, 'cancel'))
      expect(status).toBe(202)
      expect(await untilEnded(world, id)).toMatchObject({ end: 'cancelled', commit: null })
      while (listLeft(id).length > 0 || hasFiles()) await wait(20)
      took.push(performance.now() - at)
    }
    expect(took.filter(ms => ms > goneMs)).toEqual([])
    expect(world.repository.git('branch', '--list', 'quire/*')).toBe('')
  })

  test(`a stream of events that is cut ${cuts} times is complete and in order`, async () => {
    await openFake('talk')
    const id = await start()
    const path = runPath(world.projectId, id, 'events')
    const random = createRandom('cuts of a stream')
    const got: ReturnType<typeof readEvents> = []
    const most = Math.ceil(600 / cuts)
    for (let cut = 0; cut < cuts; cut++) {
      const after = got.length
      got.push(...readEvents(await readUntil(path, after, after + 1 + Math.floor(most * random()))))
      if (got.at(-1)?.kind === 'end') got.length = 0
    }
    got.push(...readEvents(await readUntil(path, got.length, Number.POSITIVE_INFINITY)))
    expect(got.map(({ sequence }) => sequence)).toEqual(got.map((_, index) => index + 1))
    expect(got).toEqual(await listEvents(id))
    expect(got.length).toBeGreaterThan(300)
  })
})
