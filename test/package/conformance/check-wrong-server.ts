import { type Report, type Request, runConformance, type Settings } from '../../../spec/package/conformance/index.ts'
import { document } from './conformance-document.ts'
import { withSender } from './conformance-server.ts'
import type { WrongServer } from './wrong-server.ts'

/** Runs the checks against the real server, whose answers the wrong server changes. */
export function checkWrongServer(
  { answer }: Pick<WrongServer, 'answer'>,
  settings: Settings,
  extensions?: object,
): Promise<Report> {
  return withSender(settings, ({ send }) =>
    runConformance({
      document,
      extensions,
      settings,
      send: (request, options) =>
        answer(
          request,
          (change: Partial<Request> = {}, others = options) => send({ ...request, ...change }, others),
          options,
        ),
    }),
  )
}
