import { answerFetch } from './answer-fetch.ts'
import { answerRequests } from './answer-requests.ts'
import { createWorkerFiles } from './answer-workers.ts'
import type { WorkerStart } from './packed-file.ts'

/** The parts of the global object of a worker that the types of a page lack. */
interface WorkerScope {
  importScripts(...addresses: string[]): void
}

/**
 * Runs first in a worker of a page on file://. Waits for the description of the worker, and then runs the worker's own script
 * as if it came from its own address.
 */
export default function startWorker(): void {
  const scope = self as unknown as WorkerScope & typeof globalThis
  const load = scope.importScripts.bind(scope)
  const begin = (event: MessageEvent<WorkerStart>) => {
    event.stopImmediatePropagation()
    scope.removeEventListener('message', begin)
    const [port] = event.ports
    if (port) run(event.data, port)
  }
  scope.addEventListener('message', begin)

  function run(start: WorkerStart, port: MessagePort): void {
    const files = createWorkerFiles(start, port)
    const { address: own, scripts } = start
    try {
      Object.defineProperty(scope, 'location', { configurable: true, value: new URL(own) })
    } catch {
      // The worker then finds only the files that it names by relative addresses.
    }
    scope.importScripts = (...addresses) => {
      for (const address of addresses) {
        const text = scripts.get(files.find(address) ?? '')
        load(text === undefined ? address : URL.createObjectURL(new Blob([text], { type: 'text/javascript' })))
      }
    }
    answerFetch(files)
    answerRequests(files)
    scope.importScripts(own)
  }
}
