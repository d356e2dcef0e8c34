import { HttpError } from './http-error.ts'

/** The refusals of requests for a bundle. */
export const bundleRefusals = {
  invalidLink: () => new HttpError(403, 'This link has expired or was changed. Ask the API for a new one.'),
  gone: () => new HttpError(404, 'The bundle no longer exists. Start another export.'),
  noMatch: () => new HttpError(412, 'The bundle does not match If-Match.'),
  badRange: (sizeBytes: number) =>
    new HttpError(416, 'The bundle ends before this range begins.', { 'Content-Range': `bytes */${sizeBytes}` }),
}
