import type { ResourceLimits, Worker } from 'node:worker_threads'

/**
 * Starts a thread.
 *
 * @param name path of the thread's file, relative to server/, without `.ts`
 * @param data plain data, which the thread reads as `workerData`
 */
export type StartThread = (name: string, data: unknown, resourceLimits?: ResourceLimits) => Worker
