import type { IncomingHttpHeaders } from 'node:http'
import { ServiceError } from '@tunnel/models'

/** The name in the version header of a request; it also stands in the error codes of the reply. */
interface Brand {
  readonly versionHeader: string
  readonly errorPrefix: string
}

const ownBrand: Brand = { versionHeader: 'service-version', errorPrefix: 'ERR_SERVICE_' }

/** Clients of the hosted product send its name and compare error codes that carry it. Nothing else knows that name. */
const hostedBrand: Brand = { versionHeader: 'ngrok-version', errorPrefix: 'ERR_NGROK_' }

const supportedVersion = '2'

/** `ERR_SERVICE_215`, in the spelling of the caller's own version header. */
export function errorCode(headers: IncomingHttpHeaders, code: number): string {
  return `${brandOf(headers).errorPrefix}${code}`
}

/** Throws unless the request asks for the version that this API has. */
export function checkVersion(headers: IncomingHttpHeaders): void {
  const version = headers[brandOf(headers).versionHeader]
  if (version === undefined) throw new ServiceError('version_missing')
  if (version !== supportedVersion)
    throw new ServiceError('version_unsupported', { version: String(version).slice(0, 40) })
}

function brandOf(headers: IncomingHttpHeaders): Brand {
  const isOwn = headers[ownBrand.versionHeader] !== undefined
  return !isOwn && headers[hostedBrand.versionHeader] !== undefined ? hostedBrand : ownBrand
}
