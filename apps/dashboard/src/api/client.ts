import { type ApiClient, Transport, createApiClient } from '@tunnel/api-client'

/** Requests go to the origin of the page; the sign-in's cookie says who asks. */
const options = { baseUrl: '', fetch: explainedFetch }

/** The management API. Everything that the pages show and do goes through it. */
export const api: ApiClient = createApiClient(options)

/** The sign-in of these pages is no part of the management API, and is called in the same way. */
export const signInTransport = new Transport(options)

async function explainedFetch(...request: Parameters<typeof fetch>): Promise<Response> {
  return fetch(...request).catch((cause: unknown) => {
    throw new Error('The service did not answer. Check that it runs and try again.', { cause })
  })
}
