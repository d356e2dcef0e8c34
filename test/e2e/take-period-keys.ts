// Prints the keys of COUNT days from day FROM on, one per line, and creates those that are missing.
import { openStore } from '../../server/store/store.ts'

const [dataFolder = '', projectId = '', from = '', count = ''] = process.argv.slice(2)
const store = openStore(dataFolder)
const keys = await store.visits.openVisitorKeys()
const project = { id: projectId, visitorSaltRotation: 'day', visitorRules: 2 } as const
for (let day = Number(from); day < Number(from) + Number(count); day++) {
  const key = keys.find(project, day)
  process.stdout.write(`${key ? Buffer.from(key).toString('hex') : 'destroyed'}\n`)
}
store.close()
