import { readdir, readlink, realpath } from 'node:fs/promises'
import { sep } from 'node:path'

/**
 * Lists the ids of other processes that have files below a folder open, also files that are deleted by now. On Linux,
 * root sees all processes and other users see their own. On other systems the list is empty.
 */
export async function findFolderUsers(folder: string): Promise<number[]> {
  const start = (await realpath(folder).catch(() => folder)) + sep
  const ids = (await readdir('/proc').catch(() => [])).filter(name => /^\d+$/.test(name)).map(Number)
  const users: number[] = []
  for (const id of ids) if (id !== process.pid && (await usesFolder(id, start))) users.push(id)
  return users
}

async function usesFolder(id: number, start: string): Promise<boolean> {
  const folder = `/proc/${id}/fd`
  const names = await readdir(folder).catch(() => [])
  const open = await Promise.all(names.map(name => readlink(`${folder}/${name}`).catch(() => '')))
  return open.some(file => file.startsWith(start))
}
