import { expect, test } from 'vitest'
import { publishedOperators } from '../../server/analytics/import/agent-ranges.ts'
import { createRandom } from '../support/random.ts'
import { readLog } from './import/read-log.ts'

// Lines with a label, written from what operators publish about their agents and RFC 8981 says about addresses.

const random = createRandom('truth of visitors')
const lineCount = 100_000
const pick = <T>(list: readonly T[]): T => list[Math.floor(random() * list.length)] as T
const byte = () => Math.floor(random() * 256)
const group = () => Math.floor(random() * 65_536).toString(16)

const agents = publishedOperators.flatMap(({ operator, lists }) =>
  lists.flatMap(list => list.names.map(name => ({ operator, name, list }))),
)
const exclusive = agents.filter(({ list }) => list.agent !== undefined)
const proven = agents.filter(({ list }) => list.complete)

/** A random address of an IPv4 block. */
function inBlock(cidr: string): string {
  const [address = '', length = '32'] = cidr.split('/')
  const number = address.split('.').reduce((sum, part) => sum * 256 + Number(part), 0)
  const inside = number + Math.floor(random() * 2 ** (32 - Number(length)))
  return [24, 16, 8, 0].map(shift => Math.floor(inside / 2 ** shift) % 256).join('.')
}

const addressOf = ({ list }: (typeof agents)[number]) =>
  inBlock(pick(list.ranges.filter(range => !range.includes(':'))))
const outside = () => `${90 + Math.floor(random() * 5)}.${byte()}.${byte()}.${byte()}`

interface Person {
  userAgent: string
  /** The network of a subscriber with IPv6; undefined = IPv4. */
  network?: string
  address: string
}

/** People at home with IPv4 or IPv6, and offices whose people share an address. */
const people = Array.from({ length: 4000 }, (_, i): Person => {
  const userAgent = `Mozilla/5.0 (X11; Linux x86_64; rv:${100 + (i % 50)}.${i % 7}) Gecko/20100101 Firefox/${100 + (i % 50)}.${i % 7}`
  if (i % 2 === 0)
    return { userAgent, network: `2a02:8${(100 + (i >> 8)).toString(16)}:${(i & 255).toString(16)}:1`, address: '' }
  // Five people in each office, with different browsers.
  const host = i % 10 === 1 ? Math.floor(i / 50) : 1000 + i
  return { userAgent, address: `91.${(host >> 16) & 255}.${(host >> 8) & 255}.${host & 255}` }
})

/** The peer and the list that it sent, if it is a proxy. */
function throughProxy(client: string): { peer: string; forwarded: string } {
  const kind = Math.floor(random() * 6)
  if (kind === 0) return { peer: `10.0.0.${byte()}`, forwarded: client }
  if (kind === 1) return { peer: `172.68.${byte()}.${byte()}`, forwarded: `${outside()}, ${client}` }
  if (kind === 2) return { peer: `::ffff:192.168.1.${byte()}`, forwarded: `${client}, 162.158.${byte()}.${byte()}` }
  return { peer: client, forwarded: '-' }
}

const bot = (name: string) => `Mozilla/5.0 AppleWebKit/537.36 (KHTML, like Gecko; compatible; ${name}/1.0)`

type Label = 'person' | 'verified' | 'impostor' | 'range hit'

function makeLine(): { label: Label; text: string; person?: Person } {
  const day = 1 + Math.floor(random() * 30)
  const draw = random()
  const agent = pick(draw < 0.9 ? agents : exclusive)
  const person = pick(people)
  const visitor =
    draw < 0.8
      ? // A device with IPv6 has another address each day.
        {
          label: 'person' as const,
          client: person.network
            ? `${person.network}:${group()}:${group()}:${day.toString(16)}:${group()}`
            : person.address,
          userAgent: person.userAgent,
        }
      : draw < 0.87
        ? { label: 'verified' as const, client: addressOf(agent), userAgent: bot(agent.name) }
        : draw < 0.94
          ? { label: 'impostor' as const, client: outside(), userAgent: bot(pick(proven).name) }
          : { label: 'range hit' as const, client: addressOf(pick(exclusive)), userAgent: person.userAgent }
  const { peer, forwarded } = throughProxy(visitor.client)
  const date = `${String(day).padStart(2, '0')}/Sep/2026:10:11:12 +0000`
  return {
    label: visitor.label,
    text: `${peer} - - [${date}] "GET /guide/${Math.floor(random() * 50)} HTTP/1.1" 200 512 "-" "${visitor.userAgent}" "${forwarded}"`,
    ...(visitor.label === 'person' && { person }),
  }
}

const lines = Array.from({ length: lineCount }, makeLine)

test.each([
  ['person', { human: 1, ai: 0, neither: 0 }],
  ['verified', { human: 0, ai: 1, neither: 0 }],
  ['impostor', { human: 0, ai: 0, neither: 1 }],
  ['range hit', { human: 0, ai: 1, neither: 0 }],
] as const)('each line of a %s counts as %o', (label, share) => {
  const chosen = lines.filter(line => line.label === label)
  const { tally } = readLog(chosen.map(({ text }) => text).join('\n'))
  expect(chosen.length).toBeGreaterThan(lineCount / 20)
  const count = (views: number) => views * chosen.length
  expect(tally.views).toEqual({ human: count(share.human), ai: count(share.ai), neither: count(share.neither) })
})

test('the people are counted within 1% of the truth, and by whole addresses many times', () => {
  const log = lines.map(({ text }) => text).join('\n')
  const truth = new Set(lines.flatMap(({ person }) => person ?? [])).size
  const countPeople = (views: ReturnType<typeof readLog>['views']) =>
    new Set(views.filter(({ mask }) => mask & 1).map(({ visitor }) => visitor)).size
  const counted = countPeople(readLog(log).views)
  expect(Math.abs(counted - truth)).toBeLessThanOrEqual(truth / 100)
  expect(countPeople(readLog(log, { ipv6Prefix: 128 }).views)).toBeGreaterThan(4 * truth)
})
