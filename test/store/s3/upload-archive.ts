// Uploads an archive as the runner does, after a small one, and prints how much memory it needed as JSON. Only a test runs it.
//
// usage: upload-archive.ts ADDRESS SMALL-FILE LARGE-FILE JOB-ID
import { createHash } from 'node:crypto'
import { createReadStream, statSync } from 'node:fs'
import { dirname } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { openBundles } from '../../../server/store/open-bundles.ts'
import { parseS3Location } from '../../../server/store/s3/s3-location.ts'
import { readPeak, resetPeak } from '../../support/peak-memory.ts'

const [address = '', small = '', large = '', jobId = ''] = process.argv.slice(2)
const { bundles, stop } = await openBundles({ dataFolder: dirname(large), location: parseS3Location(address) })

async function toBundle(file: string, fileName: string) {
  const hash = createHash('sha256')
  await pipeline(createReadStream(file), hash)
  return { fileName, sizeBytes: statSync(file).size, sha256: hash.digest('hex') }
}

await bundles.publish(small, await toBundle(small, `${jobId}-9.zip`))
const bundle = await toBundle(large, `${jobId}-1.zip`)
const before = readPeak('self').now
resetPeak('self')
await bundles.publish(large, bundle)
console.log(JSON.stringify({ bundle, moreMegabytes: readPeak('self').peak - before }))
await stop()
