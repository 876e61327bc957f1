/** This host's keys could not be certified; the message says what to do. */
export class HostCertError extends Error {
  override readonly name = 'HostCertError'
}
