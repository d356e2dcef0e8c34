// The server side for Express: the code with which the server of Quire mounts its operations.
export type { FindETags } from '../../../server/http/given-operations.ts'
export { HttpError } from '../../../server/http/http-error.ts'
export type { Admission } from '../../../server/http/mount.ts'
export { type MountOptions, mount } from '../../../server/http/mount-handlers.ts'
