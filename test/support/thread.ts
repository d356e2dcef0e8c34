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
 * Calls a function with a module of the project in a thread that ends with the test. A call that never returns then fails the
 * test by its timeout, instead of blocking it, so tests can prove that a call ends without reading a clock.
 *
 * @param file path of the module from the top folder
 * @param call must only use its arguments, because its source text is sent to the thread
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
