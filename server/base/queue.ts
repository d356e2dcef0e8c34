/** Runs tasks with bounded concurrency, in the order they were added. */
export interface Queue {
  add<T>(task: () => Promise<T>): Promise<T>
  /** Resolves when no task is running or waiting, including tasks added by running tasks. */
  idle(): Promise<void>
}

/** @param concurrency a function when the number changes while the queue works. */
export function createQueue(concurrency: number | (() => number)): Queue {
  const limit = typeof concurrency === 'number' ? () => concurrency : concurrency
  const waiting: (() => void)[] = []
  const idlers: (() => void)[] = []
  let head = 0
  let running = 0

  function next() {
    while (running < limit() && head < waiting.length) {
      running += 1
      const start = waiting[head]
      // Advance first, because the task may add tasks before its first await.
      head += 1
      start?.()
    }
    if (head > 1024 && head * 2 > waiting.length) {
      waiting.splice(0, head)
      head = 0
    }
    if (running === 0 && head === waiting.length) for (const wake of idlers.splice(0)) wake()
  }

  return {
    add(task) {
      return new Promise((resolve, reject) => {
        waiting.push(() => {
          task()
            .then(resolve, reject)
            .finally(() => {
              running -= 1
              next()
            })
        })
        next()
      })
    },
    idle() {
      return new Promise(resolve => {
        idlers.push(resolve)
        next()
      })
    },
  }
}
