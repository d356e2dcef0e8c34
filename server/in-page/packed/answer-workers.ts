import { createFinder, type PackedFile, type PackedFiles, type WorkerStart } from './packed-file.ts'

interface WorkerPacking {
  root: string
  packed: Readonly<Record<string, PackedFile>>
  /** The script that runs first in a worker. */
  start: string
}

/** Starts workers whose script is a packed file. They get the texts of all packed scripts, and ask the page for other files. */
export function answerWorkers(files: PackedFiles, { root, packed, start }: WorkerPacking): void {
  const PlainWorker = window.Worker
  if (!PlainWorker) return
  const all = Object.values(packed).map(({ path, type }) => ({ address: root + path, type }))
  const scripts = all.flatMap(({ address, type }) => (/javascript/.test(type) ? [address] : []))

  async function describe(address: string): Promise<WorkerStart> {
    const texts = await Promise.all(
      scripts.map(async script => [script, new TextDecoder().decode((await files.read(script)).bytes)] as const),
    )
    return { address, scripts: new Map(texts), addresses: all.map(({ address }) => address) }
  }

  window.Worker = class extends PlainWorker {
    /** Messages that the page sent before the worker could start; null = it has started. */
    #early: unknown[][] | null = null

    constructor(given: string | URL, options?: WorkerOptions) {
      const address = options?.type === 'module' ? null : files.find(given)
      super(address === null ? given : URL.createObjectURL(new Blob([start], { type: 'text/javascript' })), options)
      if (address === null) return
      this.#early = []
      void describe(address).then(
        description => this.#begin(description),
        () => this.dispatchEvent(new Event('error')),
      )
    }

    override postMessage(...message: unknown[]): void {
      if (this.#early) this.#early.push(message)
      else Reflect.apply(super.postMessage, this, message)
    }

    #begin(description: WorkerStart): void {
      const { port1, port2 } = new MessageChannel()
      port1.onmessage = ({ data }: MessageEvent<{ id: number; address: string }>) => {
        files.read(data.address).then(
          content => port1.postMessage({ id: data.id, content }),
          () => port1.postMessage({ id: data.id, content: null }),
        )
      }
      super.postMessage(description, [port2])
      const early = this.#early ?? []
      this.#early = null
      for (const message of early) Reflect.apply(super.postMessage, this, message)
    }
  }
}

/** Reads packed files in a worker: asks the page. */
export function createWorkerFiles({ address: own, addresses }: WorkerStart, port: MessagePort): PackedFiles {
  const waiting = new Map<number, (content: Awaited<ReturnType<PackedFiles['read']>> | null) => void>()
  let last = 0
  port.onmessage = ({ data }) => {
    waiting.get(data.id)?.(data.content)
    waiting.delete(data.id)
  }
  return {
    find: createFinder(addresses, () => own),
    read: address =>
      new Promise((resolve, reject) => {
        last += 1
        waiting.set(last, content => (content ? resolve(content) : reject(new TypeError('Failed to fetch'))))
        port.postMessage({ id: last, address })
      }),
  }
}
