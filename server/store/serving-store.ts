import type { Nouns } from './nouns.ts'
import { openStore, type SqliteStore } from './store.ts'
import { type Access, createWriteQueue, queueCalls } from './write-queue.ts'

/** What each method does with the database. The compiler finds a method that is missing. */
const access: { [Noun in keyof Nouns]: Record<keyof Nouns[Noun], Access> } = {
  organizations: {
    insert: 'writes',
    find: 'reads',
    list: 'reads',
    listPart: 'reads',
    updatePlan: 'writes',
    updateName: 'writes',
  },
  organizationRemoval: { count: 'reads', begin: 'writes', finish: 'writes' },
  projectRemoval: { count: 'reads', finish: 'writes' },
  projects: {
    insert: 'writes',
    findOwned: 'reads',
    findNamed: 'reads',
    find: 'reads',
    list: 'reads',
    updateName: 'writes',
    setVisitorRules: 'writes',
    setCounting: 'writes',
    listPart: 'reads',
  },
  sites: {
    insert: 'writes',
    findOwned: 'reads',
    find: 'reads',
    list: 'reads',
    listPart: 'reads',
    count: 'reads',
    updateOrigin: 'writes',
    updateRemoval: 'writes',
    updateAllowedOrigins: 'writes',
    updateSigningKey: 'writes',
    findSigningKey: 'reads',
    findLogin: 'reads',
    updateLogin: 'writes',
    delete: 'writes',
  },
  siteSchedules: {
    find: 'reads',
    put: 'writes',
    delete: 'writes',
    listDue: 'reads',
    listRefused: 'reads',
    claim: 'writes',
    record: 'writes',
  },
  // `authenticate` also writes the time of use, but nobody waits for that.
  apiKeys: {
    insert: 'writes',
    authenticate: 'reads',
    list: 'reads',
    listPart: 'reads',
    findOwned: 'reads',
    findNextExpiry: 'reads',
    expire: 'writes',
    revoke: 'writes',
  },
  agentJobs: {
    insert: 'writes',
    insertAll: 'writes',
    find: 'reads',
    findOwned: 'reads',
    list: 'reads',
    listPage: 'reads',
    update: 'writes',
    archiveOlderThan: 'writes',
  },
  agentRuns: {
    start: 'writes',
    instruct: 'writes',
    find: 'reads',
    listSummaries: 'reads',
    findChange: 'reads',
    listEvents: 'reads',
    listPrompts: 'reads',
    expireLogs: 'writes',
    cancel: 'writes',
    hasOpen: 'reads',
    claim: 'writes',
    heartbeat: 'writes',
    append: 'writes',
    notePush: 'writes',
    end: 'writes',
    release: 'writes',
  },
  agentSources: { find: 'reads', put: 'writes', findCredential: 'reads', delete: 'writes' },
  exportJobs: {
    start: 'writes',
    deleteOldKeys: 'writes',
    findOwned: 'reads',
    find: 'reads',
    list: 'reads',
    listPage: 'reads',
    findLastCompleted: 'reads',
    listSummaries: 'reads',
    countAhead: 'reads',
    countOpen: 'reads',
    findOldestQueued: 'reads',
    noteLink: 'writes',
    noteDamage: 'writes',
    findLastLinkExpiry: 'reads',
    countLinked: 'reads',
    forgetLinks: 'writes',
    findEnded: 'reads',
    delete: 'writes',
    claim: 'writes',
    heartbeat: 'writes',
    report: 'writes',
    complete: 'writes',
    fail: 'writes',
    cancel: 'writes',
    release: 'writes',
  },
  clockStates: { replace: 'writes' },
  people: {
    insert: 'writes',
    find: 'reads',
    findNamed: 'reads',
    list: 'reads',
    listPart: 'reads',
    delete: 'writes',
  },
  signInLinks: { insert: 'writes', find: 'reads', take: 'writes' },
  // `find` also writes the time of use, but nobody waits for that.
  sessions: { insert: 'writes', find: 'reads', list: 'reads', end: 'writes', endAll: 'writes' },
  auditLog: { append: 'writes', list: 'reads', expire: 'writes' },
  webhooks: {
    insert: 'writes',
    find: 'reads',
    findOwned: 'reads',
    list: 'reads',
    listPart: 'reads',
    delete: 'writes',
    rotateSecret: 'writes',
    enable: 'writes',
    disable: 'writes',
  },
  webhookDeliveries: {
    enqueueTest: 'writes',
    enqueueExpiringKeys: 'writes',
    enqueueLagging: 'writes',
    list: 'reads',
    claim: 'writes',
    record: 'writes',
    deleteEnded: 'writes',
  },
}

/**
 * Opens the store for a process that answers requests. Its methods never block because of a lock: they wait in a queue, and
 * fail with an `UnavailableError` when the lock stays or the disk is full. Only `visits` blocks. The caller closes the store.
 *
 * @throws {OperatorError} see `openDatabase`.
 */
export function openServingStore(dataFolder: string): SqliteStore {
  const queue = createWriteQueue()
  const store = openStore(dataFolder, { lockPatienceMs: 0, queue })
  const nouns = Object.keys(access) as (keyof Nouns)[]
  const queued = nouns.map(noun => [noun, queueCalls(store[noun] as object, queue, access[noun] as object)])
  return { ...store, ...(Object.fromEntries(queued) as Nouns) }
}
