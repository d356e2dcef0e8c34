import { resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { Worker } from 'node:worker_threads'
import { onTestFinished } from 'vitest'

const program = `
  const { parentPort, workerData } = require('node:worker_threads')
  import(workerData.url).then(async module => {
    const call = eval('(' + workerData.call + ')')
    parentPort.postMessage(await call(module, ...workerData.args))
  })`

/**
 * Calls a function with a module of the project in a thread that ends with the test. So a call that takes for ever fails its
 * test by the timeout, where it would block a test that made it directly: no clock has to be read to prove that it ends.
 *
 * @param file the module, below the root of the project
 * @param call uses nothing but its arguments, as its source text is sent
 */
export function callInThread<Module, Args extends unknown[], Result>(
  file: string,
  call: (module: Module, ...args: Args) => Result,
  ...args: Args
): Promise<Result> {
  const url = pathToFileURL(resolve(import.meta.dirname, '../..', file)).href
  const worker = new Worker(program, { eval: true, workerData: { url, call: String(call), args } })
  onTestFinished(async () => {
    await worker.terminate()
  })
  return new Promise((done, failed) => {
    worker.once('message', done).once('error', failed)
    worker.once('exit', code => failed(new Error(`The thread ended with ${code} instead of a result.`)))
  })
}
