// Apart from routes.ts, which integrators get with the package: their servers do not have the extensions.
import { routes } from '../../generated/extensions/operations.ts'
import { administration, createRouteTable } from './routes.ts'

/** The operations of the extensions API. */
export const extensions = createRouteTable(routes)

/** All operations that the server answers. */
export const served = createRouteTable([...administration.routes, ...extensions.routes])
