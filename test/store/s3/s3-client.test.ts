import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { PutObjectCommand, S3Client } from '@aws-sdk/client-s3'
import { expect, type TestContext, test } from 'vitest'
import { toClientConfig } from '../../../server/store/s3/s3-client.ts'
import { parseS3Location } from '../../../server/store/s3/s3-location.ts'

const maxSilenceMs = 3000

/** Stores an object in storage that answers as given. */
async function put({ onTestFinished }: TestContext, answer: RequestListener) {
  const server = createServer(answer)
  await new Promise<void>(done => server.listen(0, '127.0.0.1', done))
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  const { port } = server.address() as AddressInfo
  const location = parseS3Location(`s3://bucket?endpoint=http://127.0.0.1:${port}`)
  const credentials = { accessKeyId: 'a', secretAccessKey: 'b' }
  const config = toClientConfig(location, 'everything else', { maxSilenceMs })
  const client = new S3Client({ ...config, credentials, maxAttempts: 1 })
  onTestFinished(() => client.destroy())
  return client.send(new PutObjectCommand({ Bucket: 'bucket', Key: 'archive.zip', Body: 'bytes' }))
}

test('a request may take longer than the storage may be silent', async context => {
  const answered = await put(context, (_, response) => {
    const signs = setInterval(() => response.writeProcessing(), 200)
    setTimeout(() => {
      clearInterval(signs)
      response.setHeader('ETag', '"1"').end()
    }, 1.5 * maxSilenceMs)
  })
  expect(answered.ETag).toBe('"1"')
})

test('a request to silent storage ends', async context => {
  await expect(put(context, () => {})).rejects.toMatchObject({ name: 'TimeoutError' })
})
