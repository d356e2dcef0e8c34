import { HttpError } from './http-error.ts'

/** The refusals of requests for a bundle. */
export const bundleRefusals = {
  invalidLink: () =>
    new HttpError(403, 'invalid_link', 'This link has expired or was changed. Ask the API for a new one.'),
  gone: () => new HttpError(404, 'bundle_gone', 'The bundle no longer exists. Start another export.'),
  noMatch: () => new HttpError(412, 'bundle_changed', 'The bundle does not match If-Match.'),
  badRange: (sizeBytes: number) =>
    new HttpError(416, 'invalid_range', 'The bundle ends before this range begins.', {
      'Content-Range': `bytes */${sizeBytes}`,
    }),
}
