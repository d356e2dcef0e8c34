import { expect, test } from 'vitest'
import { planStart, type StartRequest } from '../../../server/agent/session/plan-start.ts'

const request: StartRequest = {
  confinement: { kind: 'bubblewrap', program: '/usr/bin/bwrap' },
  program: {
    command: ['/project/tools/agent', '--in', '{work}'],
    env: { CACHE: '{home}/c' },
    files: ['/project/tools', '/opt/x'],
  },
  work: '/data/job/work',
  home: '/data/job/home',
  gate: {
    relay: { command: ['/opt/node', '/opt/relay.js'], files: ['/opt/node'] },
    socket: '/data/job/scratch/s',
    token: 'abc',
  },
  limits: { processes: 10, diskBytes: 1000 },
  runId: 'run-1',
  user: undefined,
}

test('the program sees fixed paths, and files in their way are moved', () => {
  const { args, env, seenWork } = planStart(request)
  const text = args.join(' ')
  expect(text).toMatch(
    /-- \/opt\/node \/opt\/relay\.js \/run\/quire\/model\.sock abc \/run\/quire\/files\/project\/tools\/agent --in \/project$/,
  )
  expect(text).toContain(
    '--ro-bind /project/tools /run/quire/files/project/tools --ro-bind /opt/x /opt/x --ro-bind /opt/node /opt/node',
  )
  expect(text).toContain(
    '--bind /data/job/work /project --bind /data/job/home /home/agent --bind /data/job/scratch/s /run',
  )
  expect(env).toEqual({
    PATH: '/opt:/usr/local/bin:/usr/bin:/bin',
    HOME: '/home/agent',
    LANG: 'C.UTF-8',
    TMPDIR: '/home/agent/tmp',
    CACHE: '/home/agent/c',
    QUIRE_AGENT_RUN: 'run-1',
  })
  expect(seenWork).toBe('/project')
})

test('a server that runs as root leaves that user inside', () => {
  const [own, root] = [undefined, 65_533].map(user => planStart({ ...request, user }).args.join(' '))
  expect(own).toContain('--unshare-user --disable-userns --uid 1000')
  expect(root).not.toContain('--unshare-user')
  expect(root).toMatch(/ -- \/usr\/bin\/setpriv --reuid=65533 .*--no-new-privs -- .*\/opt\/relay.js/)
})

test('the environment is never part of the command, which other users of the machine see', () => {
  expect(planStart(request).args.join(' ')).not.toContain('/home/agent/c')
})

test('a command of the operator gets the paths of the job and is followed by the program', () => {
  const command = ['podman', 'run', '-v={work}:{work}', '-v={socket}:{socket}']
  const { file, args, cwd } = planStart({ ...request, confinement: { kind: 'command', command }, gate: null })
  expect([file, cwd]).toEqual(['podman', '/data/job/work'])
  expect(args).toEqual(['run', '-v=/data/job/work:/data/job/work', '/project/tools/agent', '--in', '/data/job/work'])
})

test('without a confinement, the program gets the paths of the job', () => {
  const { args, env } = planStart({ ...request, confinement: { kind: 'none' }, gate: null })
  expect(args.slice(-3)).toEqual(['/project/tools/agent', '--in', '/data/job/work'])
  expect(env.HOME).toBe('/data/job/home')
})
